"""What one does with lexicons: functions from a lexicon, a bitext and settings to records."""
