"""The network side of small games. `plain_front` makes a small game's `GameFront`. Its page uses `client/shared/`."""

from scramble.front.plain.game_front import plain_front

__all__ = ["plain_front"]
