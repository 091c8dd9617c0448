"""Rules held against naive models: Hypothesis draws sequences of operations, and both must do the same."""
