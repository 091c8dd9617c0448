"""Hues of players: the pages and the server have one rule.

Testing strategy. Names of several scripts and lengths: their default hues. A table with more players than hues: all
other hues. tests/unit/players/test_hues.py tests the rule. Skipped without Node, like test_modules.py.
"""

from __future__ import annotations

import json
import subprocess
from typing import Final

import pytest

from scramble.players.hues import wish_of
from scramble.players.presence import Presence
from scramble.resources import CLIENT
from tests.support import PROGRAM_S
from tests.unit.client.test_modules import REASON

NAMES: Final = ["", "a", "alice", "quiet_otter", "Zoë", "李小龙", "🦊", "x" * 24]
PLAYERS: Final = ["max", "ann", "jack", "eve", *map("p{}".format, range(20))]

ASK: Final = """
const [module, names, players] = process.argv.slice(1);
const { spread, wishOf } = await import(module);
console.log(JSON.stringify([JSON.parse(names).map(wishOf), spread(JSON.parse(players))]));
"""


@pytest.mark.skipif(REASON is not None, reason=str(REASON))
def test_the_pages_and_the_server_give_players_the_same_hues() -> None:
    values = ((CLIENT / "shared" / "hues.js").as_uri(), json.dumps(NAMES), json.dumps(PLAYERS))
    command = ["node", "--input-type=module", "--eval", ASK, "--", *values]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PROGRAM_S)
    assert done.returncode == 0, done.stderr
    table = Presence()
    for player in PLAYERS:
        table.arrive(player)
    assert json.loads(done.stdout) == [[wish_of(name) for name in NAMES], table.hues.other]
