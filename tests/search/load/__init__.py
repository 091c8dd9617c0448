"""Load tests: many players at once. They check answers and each player's view, and measure the resources."""
