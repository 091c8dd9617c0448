"""Histories of a real server process, recorded by its clients. A judge decides if the rules explain a history."""
