"""Adaptor grammars: learning from sentences of symbols, parsing, segmentation and its evaluation."""
