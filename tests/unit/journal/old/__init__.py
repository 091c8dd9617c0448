"""Journals of older versions, and the facts that they must always lead to."""
