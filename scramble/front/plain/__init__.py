"""The network side of a small game, ready-made: `plain_front` makes its `GameFront`; the page uses `client/shared/`."""

from scramble.front.plain.game_front import plain_front

__all__ = ["plain_front"]
