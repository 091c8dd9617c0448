"""The cases of Memory Scramble, by chapters of the handout. `all.py` has the whole catalogue."""
