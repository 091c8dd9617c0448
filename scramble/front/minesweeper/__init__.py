"""Minesweeper to the network."""
