"""Inputs that nobody would type: valid ones, mangled under a seed, for every parser and every front end."""
