"""What all tests share: representation checks are on, and Hypothesis is reproducible and never judges by the clock.

And what tests have reported of what they went through (tests/torture/figures.py) is printed at the end.
"""

from __future__ import annotations

import os

os.environ["SCRAMBLE_CHECK_REP"] = "1"  # before anything imports scramble

import pytest
from hypothesis import HealthCheck, settings

from tests.torture.figures import lines, reported

settings.register_profile("ci", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the figures that were reported."""
    if reported():
        terminalreporter.section("figures")
    for name, figures in reported().items():
        terminalreporter.write_line(name)
        for line in lines(figures):
            terminalreporter.write_line(line)
