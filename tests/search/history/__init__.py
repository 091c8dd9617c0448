"""Histories of a real server process, recorded at its clients, and the judge of whether the rules explain them."""
