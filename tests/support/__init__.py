"""Helpers for tests in several folders."""

from typing import Final

HANG_S: Final = 120
"""Seconds until a hanging test is ended. No result depends on this number: even the busiest machine is faster."""
