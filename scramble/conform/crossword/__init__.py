"""Crossword Extravaganza: the rules of the handout, a client for our telnet wire, and the cases."""
