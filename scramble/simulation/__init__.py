"""Simulation of Memory Scramble with random players, for the command `scramble simulate`."""
