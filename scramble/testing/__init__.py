"""Judge what the clients of a concurrent program have seen."""

from scramble.testing.history import Call, History
from scramble.testing.judge import NotLinearizable, linearizable

__all__ = [
    "Call",
    "History",
    "NotLinearizable",
    "linearizable",
]
