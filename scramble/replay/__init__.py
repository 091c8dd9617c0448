"""Replay of a recorded game, command by command. All modules except `terminal` are pure.

    replay = Replay(read_recording("game.db"), narrators())
    replay.seek(120)              # the game as it was after command 120
    step = replay.step()          # one more command: its player, effect and rule, and its consequences
    print(*replay.narrator.english.lines(step.told, step.also))

A replay shows only public facts: face-up cards, dug squares, words on the grid. The journal also has secrets (face-down
cards, bombs, refused guesses, wrong proposals, seeds, tokens). No part of a replay shows these secrets.
"""

from scramble.games.narration import Narrator, Spot, Step, Summary
from scramble.replay.games import Narrators, ReplayError, narrator_of
from scramble.replay.seek import Replay

__all__ = ["Narrator", "Narrators", "Replay", "ReplayError", "Spot", "Step", "Summary", "narrator_of"]
