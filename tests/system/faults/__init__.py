"""Faults around a server: clients that vanish, stall, flood or send nonsense, and disks that fail."""
