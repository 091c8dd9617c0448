"""The tally of votes equals a new count of all votes, after each of many random operations.

Partitions: each operation of `People` that may change the counted votes; holders with several players, and players with
several holders; all people, some, or none have accounts.
"""

from __future__ import annotations

from random import Random
from typing import Final

import pytest

from scramble.rooms.gathering import people
from scramble.rooms.gathering.people import HOST_GONE_S, People, VoteCounts

STEPS: Final = 1000
HOLDERS: Final = [f"holder{number}" for number in range(6)]
PLAYERS: Final = [f"player{number}" for number in range(5)]
ACCOUNTS: Final = ["", "", "east", "west"]


class Crowd:
    """People and their connections, under random operations."""

    def __init__(self, dice: Random) -> None:
        self.dice: Final = dice
        self.now = 0.0
        self.people: Final = People(dice.choice(["", HOLDERS[0]]), 0.0)
        self.connections: Final[list[tuple[str, str | None]]] = []
        self.accounts: Final[dict[str, str]] = {}
        self.votes: Final[dict[str, None]] = {}  # also of people who have left

    def counted(self) -> VoteCounts:
        """Count all votes anew."""
        known = self.people
        accounts: dict[str, list[bool]] = {}
        for holder in filter(known.may_vote, HOLDERS):
            accounts.setdefault(self.accounts[holder] or holder, []).append(holder in self.votes)
        votes = [2 * sum(wanted) > len(wanted) for wanted in accounts.values()]
        if len(accounts) == 1:
            (votes,) = accounts.values()
        voters = map(known.player_of, filter(known.may_vote, self.votes))
        return VoteCounts(tuple(filter(None, voters)), sum(votes), len(votes) // 2 + 1)

    def step(self) -> str:
        dice, known = self.dice, self.people
        holder, player = dice.choice(HOLDERS), dice.choice(PLAYERS)
        self.now += dice.choice([0.0, 0.0, 1.0, HOST_GONE_S / 3])
        match dice.randrange(12):
            case 0 | 1:
                played = dice.choice([player, player, None])
                self.accounts[holder] = dice.choice(ACCOUNTS)
                known.arrive(holder, played, self.now, self.accounts[holder])
                self.connections.append((holder, played))
                return f"arrive {holder} {played}"
            case 2 | 3 if self.connections:
                gone = self.connections.pop(dice.randrange(len(self.connections)))
                known.leave(*gone, self.now)
                return f"leave {gone}"
            case 4:
                known.note(holder, player, self.now)
                return f"note {holder} {player}"
            case 5:
                known.hand_over(player, holder, dice.choice(HOLDERS))
                return f"hand_over {player} {holder}"
            case 6:
                if not dice.randrange(5):
                    known.remove(holder)
                    self.votes.pop(holder, None)
                return f"remove {holder}"
            case 7 | 8:
                wanted = dice.choice([True, True, False])
                if known.may_vote(holder):
                    known.vote(holder, wanted)
                    self.votes.pop(holder, None)
                    if wanted:
                        self.votes[holder] = None
                return f"vote {holder} {wanted}"
            case 9:
                known.note_time(self.now)
                return f"note_time {self.now}"
            case 10:
                known.note_moved(dice.sample(PLAYERS, 2))
                return "note_moved"
            case _:
                if not dice.randrange(8):
                    known.clear_votes()
                    self.votes.clear()
                return "clear_votes"


@pytest.mark.parametrize("seed", range(10))
def test_the_tally_equals_a_new_count(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "MOST_PLAYERS", 3)
    crowd, done = Crowd(Random(seed)), list[str]()
    for _ in range(STEPS):
        done.append(crowd.step())
        assert crowd.people.tally() == crowd.counted(), f"seed {seed}: {'; '.join(done[-10:])}"
