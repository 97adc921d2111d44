"""What one does with syntactic topic models: functions from what was learned and settings to records."""
