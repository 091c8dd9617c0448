"""The cases of Crossword Extravaganza, by chapters of the handout. `all.py` has the whole catalogue."""
