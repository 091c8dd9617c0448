"""Tests of the modules that all pages share, in a browser."""
