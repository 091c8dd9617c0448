"""Minesweeper on the network."""
