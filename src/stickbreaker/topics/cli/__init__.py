"""The commands for models of topics."""
