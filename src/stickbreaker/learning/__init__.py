"""When a model is updated: schedules, the one loop of all runs, observers, and the trace."""
