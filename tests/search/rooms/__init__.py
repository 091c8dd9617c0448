"""Rooms under concurrent visitors, judged by a sequential model."""
