"""Rooms under concurrent visitors, compared to a sequential model."""
