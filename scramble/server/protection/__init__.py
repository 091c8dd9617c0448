"""Limits on clients: the numbers, the counters, and the ASGI middleware that enforces them."""
