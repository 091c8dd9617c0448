"""Replay on a web page, and the data that the page is made of."""
