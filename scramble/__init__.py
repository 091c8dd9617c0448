"""Concurrent multiplayer grid games on one small actor kernel."""
