"""Bots that join a game on any server, as its pages do."""
