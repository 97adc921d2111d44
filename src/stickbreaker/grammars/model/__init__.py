"""Models of adaptor grammars, in which chosen symbols remember whole subtrees (Johnson et al. 2007)."""
