"""The people in a room, its host, and their votes.

Partitions:
- the opener of the room: is present, as a player or a watcher; is gone, for under a minute, for longer; returned;
  never came; does not exist
- the next host: came first, and is gone too; only watches; was removed; does not exist
- a browser: with one player, two players, the same player twice; its seat went to another device, and returned
- the stand-in for the opener: before the opener is gone for long, after that, after the opener returned and left again;
  in a room without an opener
- a name of several people: connected with it at the same time, one after another, twice; the last player with that name
- more people than are remembered; people who only watched
- votes: of most players, of half; of players who left, for a moment, for longer, twice; taken back; of watchers, of
  players without a move, of removed players
- players with a move: all in one list; an older list arrives late; a player who is not remembered
- accounts: no account; one for each player, one for several, one for all
"""

from __future__ import annotations

import math

import pytest

from scramble.rooms.gathering import people
from scramble.rooms.gathering.people import AWAY_S, HOST_GONE_S, OPENER_GONE_S, People


def test_the_opener_of_the_room_is_host_while_present_in_any_way() -> None:
    people = People("ann", 0)
    people.arrive("bob", "Bob", 0)
    people.arrive("ann", None, 0)
    people.arrive("ann", "Ann", 0)
    assert people.standing(10).host == "ann"
    people.leave("ann", "Ann", 10)
    assert people.standing(1000).host == "ann"
    assert people.standing(1000).changes_at == math.inf
    assert people.player_of("ann") == "Ann"


def test_the_next_player_is_host_once_the_host_is_gone_for_a_minute_and_until_the_host_is_back() -> None:
    people = People("ann", 0)
    for holder in ("watcher", "ann", "bob", "carl"):
        people.arrive(holder, None if holder == "watcher" else holder.title(), 0)
    people.leave("ann", "Ann", 100)
    assert people.standing(100 + HOST_GONE_S - 1).host == "ann"
    assert people.standing(110).changes_at == 100 + HOST_GONE_S
    assert people.standing(100 + HOST_GONE_S).host == "bob"
    assert people.standing(100 + HOST_GONE_S).changes_at == 100 + OPENER_GONE_S
    people.leave("bob", "Bob", 200)
    assert people.standing(201).host == "bob"
    assert people.standing(200 + HOST_GONE_S).host == "carl"
    people.leave("carl", "Carl", 300)
    assert people.standing(300 + HOST_GONE_S).host is None
    assert people.standing(300 + HOST_GONE_S).changes_at == math.inf
    people.arrive("carl", "Carl", 0)
    people.arrive("ann", "Ann", 0)
    assert people.standing(400).host == "ann"


def test_a_stand_in_has_all_rights_once_the_opener_is_gone_for_long() -> None:
    people = People("ann", 0)
    people.arrive("ann", "Ann", 0)
    people.arrive("bob", "Bob", 0)
    assert people.standing(50).may_all_at == 50
    people.leave("ann", "Ann", 100)
    assert people.standing(100 + HOST_GONE_S).may_all_at == 100 + OPENER_GONE_S
    assert people.standing(100 + OPENER_GONE_S).changes_at == math.inf
    people.arrive("ann", None, 2000)
    people.leave("ann", None, 3000)
    assert people.standing(3000 + HOST_GONE_S).may_all_at == 3000 + OPENER_GONE_S
    people.leave("bob", "Bob", 3100)
    assert people.standing(3101).changes_at == 3100 + HOST_GONE_S


def test_in_a_room_without_an_opener_nobody_gets_all_rights() -> None:
    people = People("", 0)
    people.arrive("bob", "Bob", 0)
    assert people.standing(10**9).host == "bob"
    assert people.standing(10**9).may_all_at == people.standing(10**9).changes_at == math.inf


def test_a_name_belongs_to_its_connected_holder_or_to_its_last_player() -> None:
    people = People("", 0)
    people.arrive("first", "bob", 0)
    people.arrive("first", "robert", 0)
    people.leave("first", "bob", 1)
    assert people.holder_of("bob") == "first"
    people.arrive("second", "bob", 2)
    people.note("third", "bob", 3)
    assert people.holder_of("bob") == "second"
    people.leave("second", "bob", 4)
    assert people.holder_of("bob") == "third"
    people.note("first", "bob", 5)
    assert people.holder_of("bob") == "first"
    people.arrive("third", "bob", 6)
    people.arrive("second", "bob", 7)
    assert people.holder_of("bob") == "second"
    people.remove("second")
    assert people.holder_of("bob") == "third"


def test_a_host_who_never_comes_is_gone_since_the_room_woke() -> None:
    people = People("ann", 1000)
    people.arrive("bob", "Bob", 0)
    assert people.standing(1000 + HOST_GONE_S - 1).host == "ann"
    assert people.standing(1000 + HOST_GONE_S).host == "bob"


def test_in_a_room_that_nobody_opened_the_first_player_is_host() -> None:
    people = People("", 0)
    assert people.standing(0).host is None
    people.arrive("", None, 0)
    assert people.standing(0).host is None
    people.arrive("bob", "Bob", 0)
    assert people.standing(0).host == "bob"


def test_a_browser_counts_as_all_of_its_players() -> None:
    people = People("", 0)
    for player in ("Bob", "Bob", "Rob"):
        people.arrive("bob", player, 0)
    assert people.player_of("bob") == "Rob"
    people.leave("bob", "Rob", 1)
    people.leave("bob", "Bob", 1)
    assert people.player_of("bob") == "Bob"
    assert people.plays("bob", "Bob")
    assert not people.plays("bob", "Rob")
    assert people.players_of("bob") == ("Bob", "Rob")
    assert people.holder_of("Rob") == "bob"
    assert people.holder_of("Ann") is people.player_of("ann") is people.player_of(None) is None


def test_a_new_game_needs_the_votes_of_most_players_with_a_move() -> None:
    people = People("", 0)
    people.arrive("watcher", None, 0)
    for holder in ("ann", "bob", "carl", "dora", "eve"):
        people.arrive(holder, holder.title(), 0)
    assert people.tally()[1:] == (0, 1)
    assert people.note_moved(("Ann", "Bob", "Carl", "Dora"))
    assert not people.note_moved(("Ann", "Bob", "Carl", "Dora"))
    assert [people.may_vote(holder) for holder in ("ann", "eve", "watcher", "nobody")] == [True, False, False, False]
    for holder in ("ann", "bob", "eve"):
        people.vote(holder, True)
    people.vote("ann", False)
    people.vote("carl", True)
    assert people.tally() == (("Bob", "Carl"), 2, 3)
    people.leave("carl", "Carl", 1)
    people.note_time(1 + AWAY_S)
    assert people.tally() == (("Bob",), 1, 2)
    people.arrive("carl", "Carl", 10)
    assert people.tally() == (("Bob", "Carl"), 2, 3)
    people.leave("dora", "Dora", 11)
    people.note_time(11 + AWAY_S)
    assert people.tally()[1:] == (2, 2)
    people.remove("ann")
    assert people.tally()[1:] == (2, 2)
    people.clear_votes()
    assert people.tally() == ((), 0, 2)


def test_a_short_absence_does_not_change_the_votes() -> None:
    people = People("", 0)
    for holder in ("ann", "bob", "carl"):
        people.arrive(holder, holder.title(), 0)
    people.note_moved(("Ann", "Bob"))
    people.vote("bob", True)
    for holder in ("bob", "carl"):
        people.leave(holder, holder.title(), 1)
    people.note_time(0.9 + AWAY_S)
    assert (people.tally(), people.standing(2).changes_at) == ((("Bob",), 1, 2), 1 + AWAY_S)
    people.arrive("bob", "Bob", 3)
    assert people.standing(3).changes_at == math.inf
    people.leave("bob", "Bob", 3.5)
    people.note_time(1 + AWAY_S)
    assert (people.tally(), people.standing(4).changes_at) == ((("Bob",), 1, 2), 3.5 + AWAY_S)
    people.arrive("bob", "Rob", 5)  # under another name, without a move
    people.note_time(3.5 + AWAY_S)
    assert people.tally() == ((), 0, 1)


def test_a_player_whose_seat_went_to_another_device_is_the_first_devices_no_longer() -> None:
    people = People("", 0)
    people.arrive("laptop", "Rob", 0)
    people.arrive("laptop", "Bob", 0)
    people.hand_over("Bob", "laptop", "phone")  # to a new device
    assert (people.player_of("laptop"), people.players_of("laptop")) == ("Bob", ("Rob", "Bob"))  # still connected
    people.leave("laptop", "Bob", 1)
    assert (people.player_of("laptop"), people.players_of("laptop")) == ("Rob", ("Rob",))
    people.leave("laptop", "Rob", 1)
    people.arrive("phone", "Bob", 2)
    assert (people.player_of("laptop"), people.players_of("laptop")) == ("Rob", ("Rob",))
    assert (people.player_of("phone"), people.standing(3).host) == ("Bob", "laptop")
    people.hand_over("Bob", "phone", "phone")  # changes nothing
    people.leave("phone", "Bob", 4)
    assert people.players_of("phone") == ("Bob",)
    people.hand_over("Bob", "phone", "laptop")  # and back
    assert (people.players_of("phone"), people.players_of("laptop")) == ((), ("Rob", "Bob"))
    people.arrive("phone", "Bob", 5)  # the laptop has given the seat up meanwhile
    people.leave("phone", "Bob", 6)
    assert people.players_of("phone") == ("Bob",)


def test_a_device_that_has_given_its_only_seat_away_and_watches_is_no_host() -> None:
    people = People("", 0)
    people.arrive("laptop", "Bob", 0)
    people.arrive("laptop", None, 0)
    people.arrive("carl", "Carl", 0)
    people.hand_over("Bob", "laptop", "phone")
    people.leave("laptop", "Bob", 1)
    assert people.standing(2).host == "carl"


def test_an_older_list_of_players_who_have_made_a_move_takes_no_vote_away() -> None:
    people = People("", 0)
    for holder in ("ann", "bob"):
        people.arrive(holder, holder.title(), 0)
    assert people.note_moved(("Ann", "Bob"))
    people.vote("bob", True)
    assert not people.note_moved(("Ann",))  # another process made this list before Bob's move
    assert people.may_vote("bob")
    assert people.tally() == (("Bob",), 1, 2)


def test_players_with_a_move_who_are_not_remembered_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("scramble.rooms.gathering.people.MOST_REMEMBERED", 1)
    people = People("", 0)
    people.arrive("ann", "Ann", 0)
    assert people.note_moved(("Ann", "Nobody"))
    assert not people.note_moved(("Ann", "Nobody"))
    people.leave("ann", "Ann", 0)
    people.arrive("bob", "Bob", HOST_GONE_S)
    people.note_moved(("Bob",))
    people.arrive("ann", "Ann", HOST_GONE_S)
    people.arrive("nobody", "Nobody", HOST_GONE_S)
    assert [people.may_vote(holder) for holder in ("ann", "nobody", "bob")] == [False, False, True]


def of_accounts(**accounts: str) -> People:
    """Return people who have all made a move, each with the given account."""
    people = People("", 0)
    for holder, account in accounts.items():
        people.arrive(holder, holder.title(), 0, account)
    people.note_moved([holder.title() for holder in accounts])
    return people


def test_an_account_has_one_vote_however_many_browsers_it_has() -> None:
    people = of_accounts(ann="1", bob="2", carl="3", eve="4", eva="4", evi="4", evo="4")
    for holder in ("eve", "eva", "evi", "evo"):
        people.vote(holder, True)
    assert people.tally()[1:] == (1, 3)
    people.vote("ann", True)
    people.vote("bob", True)
    assert people.tally()[1:] == (3, 3)
    for holder in ("eve", "eva"):
        people.vote(holder, False)
    assert people.tally()[1:] == (2, 3)  # only half of that account's browsers want it


def test_if_all_players_have_one_account_each_has_a_vote() -> None:
    people = of_accounts(ann="1", bob="1", carl="1")
    people.vote("ann", True)
    assert people.tally()[1:] == (1, 2)
    people.arrive("dora", "Dora", 0, "2")
    people.note_moved(("Ann", "Bob", "Carl", "Dora"))
    assert people.tally()[1:] == (0, 2)
    people.vote("bob", True)
    assert people.tally()[1:] == (1, 2)


def test_a_player_without_an_account_has_a_vote() -> None:
    people = of_accounts(ann="", bob="", eve="4", eva="4")
    for holder in ("eve", "eva", "ann"):
        people.vote(holder, True)
    assert people.tally()[1:] == (2, 2)


def test_a_removed_player_is_no_host_and_has_no_vote() -> None:
    people = People("", 0)
    for holder in ("bob", "carl"):
        people.arrive(holder, holder.title(), 0)
        people.vote(holder, True)
    people.note_moved(("Bob", "Carl"))
    people.remove("bob")
    people.remove("nobody")
    people.leave("bob", "Bob", 1)
    people.arrive("bob", None, 2)
    assert people.standing(3).host == "carl"
    assert people.tally().voters == ("Carl",)


def test_of_very_many_people_the_longest_gone_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scramble.rooms.gathering.people.MOST_REMEMBERED", 3)
    people = People("ann", 0)
    for holder in ("ann", "bob", "carl"):
        people.arrive(holder, holder.title(), 0)
        people.leave(holder, holder.title(), 0)
    people.arrive("dora", "Dora", 1)
    assert people.holder_of("Bob") == "bob"
    people.arrive("emil", "Emil", HOST_GONE_S)
    assert people.holder_of("Bob") is people.holder_of("Carl") is None
    assert (people.holder_of("Ann"), people.holder_of("Dora")) == ("ann", "dora")
    people.arrive("ann", None, HOST_GONE_S)
    people.leave("ann", None, 200)
    assert people.standing(201).host == "ann"


def test_some_players_without_a_connection_are_remembered_until_their_removal() -> None:
    company = people.People("opener", 0.0)
    for number in range(3 * people.MOST_PLAYERS):
        company.note("bob", f"bob{number}", 1.0)
    assert len(company.players_of("bob")) == people.MOST_PLAYERS
    last = company.players_of("bob")[-1]
    assert company.holder_of(last) == "bob"
    company.remove("bob")
    company.note("carl", last, 2.0)
    assert company.holder_of(last) == "carl"
    for number in range(2 * people.MOST_REMEMBERED):
        company.note(f"holder{number}", "dora", 3.0)
    assert len(company._all) == people.MOST_REMEMBERED
