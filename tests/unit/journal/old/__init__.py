"""Journals that an older version has written, and what they must lead to for ever."""
