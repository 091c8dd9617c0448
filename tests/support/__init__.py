"""Helpers that tests of several folders use."""

from typing import Final

HANG_S: Final = 120
"""Seconds after which a test that hangs is ended. No verdict depends on it: the busiest machine is quicker."""
