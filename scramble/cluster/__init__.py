"""Rooms across many processes. One process at a time owns each game. The game's log is in Redis or Valkey."""
