"""Health, metrics, and the log of moves."""
