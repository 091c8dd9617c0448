"""The cases of Multiplayer Minesweeper, by chapters of the handout. `all.py` has the whole catalogue."""
