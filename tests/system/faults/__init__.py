"""Faults around a server: clients that vanish, stall, flood or talk nonsense, and disks that fail."""
