"""Memory Scramble on the network."""
