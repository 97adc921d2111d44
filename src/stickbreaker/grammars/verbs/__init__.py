"""What one does with grammars: functions from a grammar, texts and settings to records."""
