"""What translation draws for: see `core/purposes.py`."""

TRANSLATION_PAIRS = "translation pairs"  # the pairs of a sentence's translations that weights are tuned by
