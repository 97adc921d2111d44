"""What grammars need of texts: sentences of symbols, gold segmentations, and models from their directories."""
