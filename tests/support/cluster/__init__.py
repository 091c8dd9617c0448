"""Helpers for tests of several processes around one Redis: the server, a proxy before it, and more."""
