"""What one does with models of topics: functions from what was learned, documents and settings to records."""
