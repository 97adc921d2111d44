"""Where topics and documents stand on the maps of a report."""
