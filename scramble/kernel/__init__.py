"""Actor kernel: turns the pure rules of any game into a game that many tasks can play concurrently."""
