"""Multiplayer Minesweeper: the rules of the handout, a client for its protocol, and the cases."""
