"""Grammars whose chosen symbols remember whole subtrees (adaptor grammars; Johnson et al. 2007)."""
