"""The simulator with many rooms: they sleep and wake, their process dies and is started again, and one has a bug."""
