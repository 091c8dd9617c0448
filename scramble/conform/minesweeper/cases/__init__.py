"""The cases of Multiplayer Minesweeper, one chapter of the handout in each module."""
