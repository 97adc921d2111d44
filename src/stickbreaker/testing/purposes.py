"""Purposes of the random draws of planted data: see `core/purposes.py`."""

PLANTED = "planted"  # documents drawn from a planted model
PLANTED_LANGUAGES = "planted languages"  # and in several languages
