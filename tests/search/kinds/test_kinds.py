"""Every installed kind of game meets the requirements. The kind provides the inputs, so a new game is tested, too.

Testing strategy. Partitions: the kind of game; settings: the demonstration's, none, mangled JSON; states and commands:
from a game of the kind's own bots, mangled.

- a game of bots ends, its journal replays to the end, and the game can be restored after each command
- mangled settings are rejected with the name of the field, or accepted; accepted settings stay the same when parsed
  again
- a mangled state is rejected with ValueError, or restored
- a mangled command is rejected by the codec, or applied without a bug
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Final

import msgspec
import pytest
import trio

from scramble.games.kind import GameKind
from scramble.games.room import GameResult, RoomClocks
from scramble.games.settings import BadSettings
from scramble.games.table import game_kinds, narrators
from scramble.journal import Journal
from scramble.journal.recorder import Recording
from scramble.kernel.protocol import Ticket
from scramble.players.seats import split_state
from scramble.replay import Replay
from tests.search.fuzz.mutations import Mutator

KINDS: Final = [pytest.param(kind, id=name) for name, kind in game_kinds().items()]
SEED: Final = 1
MANGLED: Final = 400  # settings, states and commands for each kind


def demo_settings(kind: GameKind) -> dict[str, object]:
    return kind.settle({} if kind.demo is None else kind.demo.settings, SEED)


async def game_of_bots(kind: GameKind, path: Path) -> tuple[Recording, GameResult]:
    """Two bots play a game to its end. Return its recording and its result."""
    bots = kind.bots
    assert bots is not None
    settings, journal = demo_settings(kind), Journal(path)
    async with kind.set_up(settings).open(journal, RoomClocks()) as opened, trio.open_nursery() as nursery:

        async def play(name: str) -> None:
            await bots.play(opened.game, name, "hard", settings=settings, seed=SEED, pace=0)

        for name in ("bot_Ada", "bot_Alan"):
            nursery.start_soon(play, name)
        result = await opened.finished()
        await opened.game.ping()
        nursery.cancel_scope.cancel()
    return await trio.to_thread.run_sync(journal.read), result


@pytest.mark.parametrize("kind", KINDS)
async def test_a_game_of_bots_is_recorded_replayed_and_restored(kind: GameKind, tmp_path: Path) -> None:
    recording, result = await game_of_bots(kind, tmp_path / "game.db")
    assert recording.kind == kind.name
    assert result.scores

    replay = Replay(recording, narrators=narrators())
    overs = [replay.step().over for _ in range(replay.last)]
    assert any(overs)
    assert set(result.scores) <= set(replay.narrator.scores())

    _, _, first = split_state(recording.first)  # bots have no seats
    rules = kind.restore(first)
    decoder = msgspec.json.Decoder(rules.commands)
    for record in recording.records:
        rules.apply(record.ticket, decoder.decode(record.command))
        assert kind.restore(rules.state()).state() == rules.state()


@pytest.mark.parametrize("kind", KINDS)
def test_mangled_settings_are_refused_or_stay_as_they_settle(kind: GameKind) -> None:
    rng = random.Random(SEED)
    mutator, settled = Mutator(rng), demo_settings(kind)
    given = {} if kind.demo is None else kind.demo.settings
    examples = [msgspec.json.encode(given), msgspec.json.encode(settled)]
    for _ in range(MANGLED):
        try:
            asked = msgspec.json.decode(mutator.mangled(examples), type=dict[str, object])
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
        try:
            complete = kind.settle(asked, rng.randrange(2**53))
        except BadSettings:
            continue
        assert kind.settle(complete, 0) == complete
        assert kind.settle(kind.again(complete, 5), 0)


@pytest.mark.parametrize("kind", KINDS)
async def test_mangled_states_and_commands_are_refused_or_do_no_harm(kind: GameKind, tmp_path: Path) -> None:
    recording, _ = await game_of_bots(kind, tmp_path / "game.db")
    mutator = Mutator(random.Random(SEED))
    _, _, first = split_state(recording.first)
    commands = [record.command for record in recording.records[:200]]
    rules = kind.restore(first)
    decoder = msgspec.json.Decoder(rules.commands)
    for number in range(MANGLED):
        try:
            command = decoder.decode(mutator.mangled(commands))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
        rules.apply(Ticket(number), command)
        assert kind.restore(rules.state()).state() == rules.state()
    states = [first, rules.state()]
    for _ in range(MANGLED):
        try:
            restored = kind.restore(mutator.mangled(states))
        except ValueError:
            continue
        assert kind.restore(restored.state()).state() == restored.state()
