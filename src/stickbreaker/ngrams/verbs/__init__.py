"""What one does with language models: functions from a model, documents and settings to records."""
