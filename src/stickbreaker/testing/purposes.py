"""Purposes of the draws of planted models: see `core/purposes.py`."""

PLANTED = "planted"  # documents drawn from a planted model
PLANTED_LANGUAGES = "planted languages"  # and in several languages
