"""Helpers for tests in several folders."""

from typing import Final

HANG_S: Final = 30
"""Seconds for a wait for one event: an answer, a line, the end of a server that was told to end.

No result depends on this limit and the two others: even the busiest machine is faster.
"""

PROGRAM_S: Final = 120
"""Seconds until a program has started, or has run to its end.

Up to three processes import the same modules at once. That takes 5 s on an idle machine, and ten times as long if five
programs share each processor.
"""

TEST_S: Final = 240
"""Seconds for a whole test, with all its waits (tests/conftest.py)."""
