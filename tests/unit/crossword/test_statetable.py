"""Testing strategy: parsing single command lines.

- START: IDs of 1 and 20 characters, of each kind · empty, 21, other characters, blanks around · with a token
- CHOOSE: PLAY, NEW, EXIT · Match_IDs as IDs · Puzzle_IDs of one and several words · descriptions: empty, 200, 201
  characters, quotes, line ends, anything else · missing parts, too many parts
- PLAY: TRY, CHALLENGE, EXIT · ids: leading zeros, thousands of digits, signs, other scripts · words: anything
- SHOW SCORE: NEW MATCH, EXIT
- blanks: spaces and tabs before, between, after; other white space
- case of command words · commands of other states · unknown ones · empty lines · lines of 5,000 and 5,001 characters
- refusals repeat command words only, not the rest of the line
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scramble.crossword.messages import State
from scramble.crossword.statetable import (
    MAX_LINE,
    MAX_WORD_ID,
    SYNTAX,
    Challenge,
    Exit,
    Identify,
    LineCommand,
    LineRefused,
    New,
    NewMatch,
    Play,
    Try,
    read_line,
    what_to_type,
)

STATES: tuple[State, ...] = ("START", "CHOOSE", "WAIT", "PLAY", "SHOW SCORE")


def refusal(state: State, line: str) -> str:
    with pytest.raises(LineRefused) as refused:
        read_line(state, line)
    return str(refused.value)


@pytest.mark.parametrize("id", ["a", "Z", "9", "_", "ann_B0b", "a" * 20, "EXIT", "0"])
def test_an_id_is_1_to_20_letters_digits_and_underscores(id: str) -> None:
    assert read_line("START", id) == Identify(id)


@pytest.mark.parametrize(
    "line", ["", " ", "a" * 21, "a-b", "é", "ann\n", "ann\r", "ann\t", " ann", "a.b", "猫", "٣", "\x00"]
)
def test_anything_else_is_no_id(line: str) -> None:
    assert "1 to 20 letters" in refusal("START", line)


def test_an_id_a_space_and_a_token_are_a_returning_player() -> None:
    assert read_line("START", "ann a-Token_9") == Identify("ann", "a-Token_9")


@pytest.mark.parametrize("line", ["ann ", "ann  token", "ann token ", "ann tok en", "ann tökén", "a! token", "ann \t"])
def test_a_token_is_one_printable_ascii_word_after_one_space(line: str) -> None:
    refusal("START", line)


@pytest.mark.parametrize(
    ("state", "line", "command"),
    [
        ("CHOOSE", "PLAY m1", Play("m1")),
        ("CHOOSE", 'NEW m1 simple "come and play"', New("m1", "simple", "come and play")),
        ("CHOOSE", "EXIT", Exit()),
        ("WAIT", "EXIT", Exit()),
        ("PLAY", "TRY 1 cat", Try(1, "cat")),
        ("PLAY", "CHALLENGE 12 c-T", Challenge(12, "c-T")),
        ("PLAY", "EXIT", Exit()),
        ("SHOW SCORE", "NEW MATCH", NewMatch()),
        ("SHOW SCORE", "EXIT", Exit()),
    ],
)
def test_every_command_is_read_in_its_state_with_any_blanks_around_its_words(
    state: State, line: str, command: LineCommand
) -> None:
    assert read_line(state, line) == command
    if '"' not in line:
        assert read_line(state, f" \t{line} \t".replace(" ", " \t ")) == command


@pytest.mark.parametrize("line", ["EXIT\n", "\u00a0EXIT", "EXIT\x0b", "\ufeffEXIT", "EXIT\u3000"])
def test_other_white_space_than_spaces_and_tabs_is_no_blank(line: str) -> None:
    for state in STATES:
        refusal(state, line)


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ('NEW m1 simple ""', New("m1", "simple", "")),
        ('\tNEW  m1\tsimple \t "  two  spaces "  ', New("m1", "simple", "  two  spaces ")),
        ('NEW m1 my best puzzle "so"', New("m1", "my best puzzle", "so")),
        ('NEW m1 my "best" puzzle "so"', New("m1", 'my "best" puzzle', "so")),
        ('NEW m1 simple "猫\x1b\t\x00\'\\"', New("m1", "simple", "猫\x1b\t\x00'\\")),
        (f'NEW {"m" * 20} simple "{"x" * 200}"', New("m" * 20, "simple", "x" * 200)),
    ],
)
def test_new_takes_a_match_id_a_puzzle_id_and_a_quoted_description(line: str, command: New) -> None:
    assert read_line("CHOOSE", line) == command


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("NEW", "Type NEW like this"),
        ("NEW m1", "Type NEW like this"),
        ("NEW m1 simple", "Type NEW like this"),
        ("NEW m1 simple so", "Type NEW like this"),
        ('NEW m1 simple "so', "Type NEW like this"),
        ('NEW m1 simple so"', "Type NEW like this"),
        ('NEW m1 simple"so"', "Type NEW like this"),
        ('NEW m1 "so"', "Type NEW like this"),
        ('NEW "so"', "Type NEW like this"),
        ('NEW m1 simple "so" x', "Type NEW like this"),
        ('NEW m-1 simple "so"', "Match_ID"),
        (f'NEW {"m" * 21} simple "so"', "Match_ID"),
        (f'NEW m1 simple "{"x" * 201}"', "too long"),
        ('NEW m1 simple "a\nb"', "one line"),
        ('NEW m1 simple "a\rb"', "one line"),
        ('NEW m1 simple "\udc80"', "one line of Unicode text"),
    ],
)
def test_an_incomplete_new_is_refused_with_its_missing_part(line: str, reason: str) -> None:
    assert reason in refusal("CHOOSE", line)


@pytest.mark.parametrize("line", ["PLAY", "PLAY m1 m2", "PLAY m-1", "PLAY " + "m" * 21, 'PLAY "m1"', "PLAY m\u00e9"])
def test_play_takes_one_match_id(line: str) -> None:
    assert "PLAY" in refusal("CHOOSE", line) or "Match_ID" in refusal("CHOOSE", line)


@pytest.mark.parametrize(
    ("digits", "number"),
    [
        ("1", 1),
        ("01", 1),
        ("0", 0),
        ("000", 0),
        ("0" * 4000 + "7", 7),
        ("9" * 4900, MAX_WORD_ID),
        ("999999999", 999999999),
    ],
)
def test_word_ids_may_have_any_number_of_digits(digits: str, number: int) -> None:
    assert read_line("PLAY", f"TRY {digits} cat") == Try(number, "cat")
    assert read_line("PLAY", f"CHALLENGE {digits} cat") == Challenge(number, "cat")


@pytest.mark.parametrize("id", ["x", "-1", "+1", "1.", "1.0", "٣", "１", "0x1", "1,", "#1"])
def test_a_word_id_is_nothing_but_digits(id: str) -> None:
    assert "number of a word" in refusal("PLAY", f"TRY {id} cat")
    assert "number of a word" in refusal("PLAY", f"CHALLENGE {id} cat")


@pytest.mark.parametrize(
    "line", ["TRY", "TRY 1", "TRY 1 cat dog", "TRY cat", "CHALLENGE", "CHALLENGE 1", "CHALLENGE 1 a b"]
)
def test_a_move_takes_an_id_and_one_word(line: str) -> None:
    assert f"{line.split()[0]} id word" in refusal("PLAY", line)


@pytest.mark.parametrize("line", ["exit", "Exit", "try 1 cat", "new match", "play m1"])
def test_command_words_are_upper_case_and_the_refusal_says_so(line: str) -> None:
    assert all("upper case" in refusal(state, line) for state in STATES[1:])


def test_a_command_of_another_state_is_called_not_possible_here() -> None:
    assert "TRY is not possible here" in refusal("CHOOSE", "TRY 1 cat")
    assert "PLAY is not possible here" in refusal("PLAY", "PLAY m1")
    assert "NEW is not possible here" in refusal("WAIT", 'NEW m1 simple "so"')


@pytest.mark.parametrize("line", ["", " ", "\t", "HELP", "EXIT now", "NEW MATCH now", "NEW", "EXITT", "EXIT,"])
def test_any_other_line_is_refused_with_the_possible_commands(line: str) -> None:
    for state in STATES[1:]:
        reason = refusal(state, line)
        assert any(syntax in reason for syntax in SYNTAX[state]) or what_to_type(state) in reason


def test_what_to_type_names_every_command_of_the_state() -> None:
    assert what_to_type("WAIT") == "The only command here is EXIT."
    assert what_to_type("PLAY") == "The commands here are TRY id word, CHALLENGE id word and EXIT."


def test_a_line_of_5000_characters_is_read_and_a_longer_one_is_refused_unread() -> None:
    assert read_line("PLAY", "TRY 1 " + "x" * (MAX_LINE - 6)) == Try(1, "x" * (MAX_LINE - 6))
    for state in STATES:
        assert "longer than any command" in refusal(state, "x" * (MAX_LINE + 1))


@pytest.mark.parametrize("line", ["NEW a" + " " * 4990 + "b", "NEW " + '"' * 4990, "TRY" + " \t" * 2400 + "1"])
def test_no_line_makes_the_parser_backtrack(line: str) -> None:
    for state in STATES[1:]:
        refusal(state, line)  # a backtracking parser would practically never return


@given(st.sampled_from(STATES), st.one_of(st.text(max_size=30), st.from_regex(r"(TRY|NEW|PLAY|EXIT|CHALLENGE) .*")))
def test_any_line_is_read_or_refused_and_no_refusal_repeats_the_line(state: State, line: str) -> None:
    try:
        read_line(state, line)
    except LineRefused as refused:
        reason = str(refused)
    else:
        return
    assert reason.isascii()
    assert reason.isprintable()
    assert len(reason) < 250
