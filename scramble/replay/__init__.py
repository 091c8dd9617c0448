"""Replay: a game as its journal has it, told command by command. Pure but for `terminal`, which prints.

    replay = Replay(read_recording("game.db"))
    replay.seek(120)              # the game as it was after command 120
    step = replay.step()          # one more command: who did what, by which rule, and what followed
    print(step.words, *step.also)

Everything told here was public when it happened: cards that lay face up, squares that were dug, words that stood. What
was not (cards that lay face down, bombs, guesses that were refused, proposals that were wrong, seeds, tokens) is in the
journal, but nothing here is made of it.
"""

from scramble.replay.games import ReplayError, teller_of
from scramble.replay.seek import Replay
from scramble.replay.telling import Spot, Step, Summary, Teller

__all__ = ["Replay", "ReplayError", "Spot", "Step", "Summary", "Teller", "teller_of"]
