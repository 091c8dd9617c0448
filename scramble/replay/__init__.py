"""Replay of a recorded game, command by command. Pure but for `terminal`, which prints.

    replay = Replay(read_recording("game.db"), narrators())
    replay.seek(120)              # the game as it was after command 120
    step = replay.step()          # one more command: who did what, by which rule, and what followed
    print(*replay.narrator.english.lines(step.told, step.also))

Everything that a replay shows was public when it happened: cards that lay face up, squares that were dug, words that
stood. The journal also has secrets (face-down cards, bombs, refused guesses, wrong proposals, seeds, tokens). No part
of a replay shows them.
"""

from scramble.games.narration import Narrator, Spot, Step, Summary
from scramble.replay.games import Narrators, ReplayError, narrator_of
from scramble.replay.seek import Replay

__all__ = ["Narrator", "Narrators", "Replay", "ReplayError", "Spot", "Step", "Summary", "narrator_of"]
