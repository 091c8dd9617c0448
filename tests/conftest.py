"""What all tests share: representation checks are on, and Hypothesis is reproducible and never judges by the clock."""

from __future__ import annotations

import os

os.environ["SCRAMBLE_CHECK_REP"] = "1"  # before anything imports scramble

from hypothesis import HealthCheck, settings

settings.register_profile("ci", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
