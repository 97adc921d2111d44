"""When a model is updated: schedules, the one run loop, observers."""
