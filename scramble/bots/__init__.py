"""Bots: trio programs that play through the public embedding API of each game, and are an example of its use."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

Level: TypeAlias = Literal["easy", "medium", "hard"]
"""How well a bot plays."""

LEVELS: Final[tuple[Level, ...]] = get_args(Level)
