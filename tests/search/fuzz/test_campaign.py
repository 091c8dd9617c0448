"""Fuzzing without sockets: valid inputs, mangled by a seed, for every parser, the rules and every front end.

Partitions: the kind of input (tests/search/fuzz/campaign.py lists them); valid, nearly valid, noise; bytes and text;
numbers of every size; control characters, lone surrogates, invalid UTF-8; very long and deeply nested inputs; single
inputs and inputs in a conversation.

Expected: only the documented errors are raised. Messages for people are short and can be sent. Every input gets the
reference's answer. Invalid input changes nothing, and the log stays empty. A failure prints the command to run its
input again. `make torture` runs other seeds, and a hundred times as many.
"""

from __future__ import annotations

import pytest

from tests.search.fuzz.campaign import COUNTS, PARSERS, Fuzzed, campaign, check
from tests.support.figures import report

SEED = 1


@pytest.mark.parametrize("kind", COUNTS)
def test_mangled_input_is_taken_or_refused_as_documented(kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    count = campaign(kind, SEED)
    assert capfd.readouterr().err == ""
    report("fuzz", {f"inputs, {kind}": f"{count:,} from seed {SEED}"})


def test_a_failure_says_how_to_make_its_input_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def buggy(_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setitem(PARSERS, "field line", (buggy, 1))
    with pytest.raises(Fuzzed, match=r"python -m tests.search.fuzz 'field line' 3 17"):
        check("field line", 3, 17)
