"""Replay on a web page, and the page's data."""
