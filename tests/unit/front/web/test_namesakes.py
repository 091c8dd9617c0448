"""Browsers with one name: no browser, the same browser twice, another browser; the first browser leaves."""

from __future__ import annotations

from scramble.front.memory.namesakes import Namesakes


def test_a_connection_knows_whether_another_browser_plays_under_its_name() -> None:
    names = Namesakes()
    tabs = [names.arrive("bob", "first"), names.arrive("bob", "first")]
    assert tabs == [False, False], "of one browser"
    assert [names.arrive("bob", "second"), names.arrive("alice", "second")] == [True, False]
    for player, browser in (("bob", "first"), ("bob", "second"), ("alice", "second"), ("bob", "first")):
        names.leave(player, browser)
    assert not names.arrive("bob", "second"), "the first browser has gone"
    names.leave("bob", "second")
    assert str(names) == "browsers of 0 players"
