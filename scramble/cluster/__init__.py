"""Rooms of many processes: each game has one owner at a time, in one of them, and its log is in Redis or Valkey."""
