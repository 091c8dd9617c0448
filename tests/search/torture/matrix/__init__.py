"""Planted bugs, and the matrix that shows which folders of tests find them: `make torture NAMES=matrix`."""
