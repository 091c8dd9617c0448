"""Rules compared to naive models. Hypothesis draws sequences of operations, and rules and model must do the same."""
