"""Memory Scramble to the network."""
