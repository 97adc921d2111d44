"""The purposes of random streams in translation: see `core/purposes.py`."""

TRANSLATION_PAIRS = "translation pairs"  # the pairs of a sentence's translations used in tuning
