"""Journals of older versions, and the facts that each journal must always lead to."""
