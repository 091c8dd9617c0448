"""Splitting bytes into lines, and removing telnet commands. Pure: plain functions on bytes.

Strategy. Every example is fed at once, byte by byte, and (by Hypothesis, over the relevant bytes) in every kind of
split. The lines must be the same each time, and equal to a naive reading of the whole stream.

Partitions, lines:
- ends: LF; CR LF; CR NUL; lone CR, before text, before another CR, at the end of all; for both kinds of splitter
- a lone CR ends the line at once; its LF or NUL comes in a later segment, or never
- length: empty; 1,024; 1,025; far beyond; two overlong lines in a row; a line that never ends
- content: any byte, NUL and broken UTF-8 included

Partitions, telnet:
- commands: the four verbs with any option; subnegotiation, empty, with IAC IAC in it, without its SE; single commands;
  IAC IAC
- where: in a word; between CR and LF; before and after text; unfinished at the end of the stream
- a byte 255 that begins no command: before text; before a line end; in a negotiation with a line end as its option
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scramble.server.telnet.lines import MAX_LINE_BYTES, OVERLONG, LineSplitter, TelnetLine
from scramble.server.telnet.options import DO, DONT, FIRST_COMMAND, IAC, SB, SE, WILL, WONT, TelnetFilter

NAWS = 31
ECHO = 1
AYT = 246
NOP = 241


def split(segments: Iterable[bytes], *, cr_ends: bool = True) -> list[TelnetLine]:
    splitter = LineSplitter(cr_ends=cr_ends)
    return [line for segment in segments for line in splitter.receive(segment)]


def bytewise(data: bytes) -> list[bytes]:
    return [bytes([byte]) for byte in data]


def every_way(data: bytes, *, cr_ends: bool = True) -> list[TelnetLine]:
    """Return the lines in `data`; check that they are the same at once and byte by byte."""
    lines = split([data], cr_ends=cr_ends)
    assert split(bytewise(data), cr_ends=cr_ends) == lines
    return lines


def telnet(segments: Iterable[bytes]) -> tuple[bytes, bytes]:
    telnet_filter = TelnetFilter()
    results = [telnet_filter.receive(segment) for segment in segments]
    return b"".join(text for text, _ in results), b"".join(answer for _, answer in results)


def telnet_every_way(data: bytes) -> tuple[bytes, bytes]:
    result = telnet([data])
    assert telnet(bytewise(data)) == result
    return result


@st.composite
def segmented(draw: st.DrawFn, alphabet: list[bytes]) -> list[bytes]:
    data = b"".join(draw(st.lists(st.sampled_from(alphabet), max_size=30)))
    cuts = sorted(draw(st.lists(st.integers(0, len(data)), max_size=8)))
    return [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]


# ends of lines


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r", b"\r\0"])
def test_any_end_of_line_ends_one_line_and_is_no_part_of_it(end: bytes) -> None:
    assert every_way(b"look" + end + b"dig 3 10" + end + end + b"rest") == [b"look", b"dig 3 10", b""]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r\0"])
def test_without_lone_cr_the_other_ends_still_end_a_line(end: bytes) -> None:
    assert every_way(b"PLAY a" + end + b"EXIT" + end + end, cr_ends=False) == [b"PLAY a", b"EXIT", b""]


def test_without_lone_cr_it_is_part_of_the_line() -> None:
    assert every_way(b"a\rb\r\r\nc\r", cr_ends=False) == [b"a\rb\r"]


def test_a_lone_cr_ends_the_line_at_once() -> None:
    splitter = LineSplitter(cr_ends=True)
    assert splitter.receive(b"look\r") == [b"look"]


@pytest.mark.parametrize("second_half", [b"\n", b"\0"])
def test_the_lf_or_nul_after_a_cr_belongs_to_it_even_in_a_later_segment(second_half: bytes) -> None:
    splitter = LineSplitter(cr_ends=True)
    assert splitter.receive(b"look\r") == [b"look"]
    assert splitter.receive(b"") == []
    assert splitter.receive(second_half) == []
    assert splitter.receive(b"help\n") == [b"help"]


def test_only_one_byte_belongs_to_a_cr() -> None:
    assert every_way(b"a\r\n\nb\r\0\0\r\n\0\n") == [b"a", b"", b"b", b"\0", b"\0"]


def test_a_line_may_hold_any_other_byte() -> None:
    content = bytes(byte for byte in range(256) if byte not in b"\r\n")
    assert every_way(content + b"\n" + content + b"\r\n") == [content, content]


# length


@pytest.mark.parametrize("cr_ends", [True, False])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_the_longest_line_passes_and_one_byte_more_is_overlong(end: bytes, cr_ends: bool) -> None:
    longest = b"x" * MAX_LINE_BYTES
    assert every_way(longest + end + longest + b"y" + end + b"look" + end, cr_ends=cr_ends) == [
        longest,
        OVERLONG,
        b"look",
    ]


def test_an_overlong_line_is_reported_once_and_not_before_its_end() -> None:
    splitter = LineSplitter(cr_ends=True)
    for _ in range(50):
        assert splitter.receive(b"x" * 1000) == []
    assert splitter.receive(b"x\r\nlook\r\n") == [OVERLONG, b"look"]


def test_overlong_lines_in_a_row_are_each_reported() -> None:
    long = b"z" * (MAX_LINE_BYTES + 1)
    assert every_way(long + b"\r" + long + b"\r\n\n") == [OVERLONG, OVERLONG, b""]


def naive_lines(data: bytes, cr_ends: bool) -> list[TelnetLine]:
    """Split the whole stream at once: first replace each line end by one unique mark."""
    ends = rb"\r\n|\r\0|\r|\n" if cr_ends else rb"\r\n|\r\0|\n"
    pieces = re.split(ends, data)[:-1]
    return [OVERLONG if len(piece) > MAX_LINE_BYTES else piece for piece in pieces]


@given(segmented([b"a", b"\r", b"\n", b"\0", b"\r\n", b"x" * 500, b"y" * MAX_LINE_BYTES]), st.booleans())
def test_lines_do_not_depend_on_how_the_bytes_are_split(segments: list[bytes], cr_ends: bool) -> None:
    lines = split(segments, cr_ends=cr_ends)
    assert lines == naive_lines(b"".join(segments), cr_ends)
    assert split(bytewise(b"".join(segments)), cr_ends=cr_ends) == lines


# telnet


def test_every_option_is_refused_and_leaves_no_trace_in_the_text() -> None:
    for option in set(range(256)) - set(b"\r\n"):
        asked = [*b"lo", IAC, DO, option, *b"o", IAC, WILL, option, *b"k", IAC, DONT, option, IAC, WONT, option, 10]
        assert telnet_every_way(bytes(asked)) == (b"look\n", bytes([IAC, WONT, option, IAC, DONT, option]))


def test_a_subnegotiation_is_dropped_whatever_is_in_it() -> None:
    window = bytes([IAC, SB, NAWS, 0, 13, 0, 10, IAC, IAC, IAC, SE])
    assert telnet_every_way(b"lo" + window + b"ok\n" + bytes([IAC, SB, IAC, SE])) == (b"look\n", b"")


def test_a_subnegotiation_without_its_end_ends_with_the_next_command() -> None:
    assert telnet_every_way(bytes([IAC, SB, NAWS, 1, IAC, DO, ECHO, *b"look\n"])) == (
        b"look\n",
        bytes([IAC, WONT, ECHO]),
    )


@pytest.mark.parametrize("command", range(FIRST_COMMAND, SB))
def test_a_command_without_an_option_is_dropped(command: int) -> None:
    assert telnet_every_way(bytes([*b"lo", IAC, command, *b"ok"])) == (b"look", b"")


def test_iac_iac_is_one_byte_255() -> None:
    assert telnet_every_way(bytes([*b"a", IAC, IAC, *b"b", IAC, IAC, IAC, IAC])) == (b"a\xffb\xff\xff", b"")


@pytest.mark.parametrize("broken", [b"\xff", b"\xffx", b"\xff\xfe", b"\xff\xfb", b"\xff\xfd", b"\xff\xfc", b"\xfe\xff"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_a_stray_255_in_broken_text_does_not_swallow_the_end_of_the_line(broken: bytes, end: bytes) -> None:
    assert telnet_every_way(broken + end + b"look" + end) == (broken + end + b"look" + end, b"")


def test_text_without_commands_passes_at_once() -> None:
    telnet_filter = TelnetFilter()
    data = bytes(range(255))
    assert telnet_filter.receive(data) == (data, b"")


def test_a_command_between_cr_and_lf_does_not_part_them() -> None:
    splitter = LineSplitter(cr_ends=True)
    telnet_filter = TelnetFilter()
    lines: list[TelnetLine] = []
    for segment in (b"look\r", bytes([IAC]), bytes([NOP]), bytes([IAC, AYT]), b"\n", b"bye\r\n"):
        text, _ = telnet_filter.receive(segment)
        lines += splitter.receive(text)
    assert lines == [b"look", b"bye"]


def test_an_unfinished_command_holds_nothing_else_back() -> None:
    for unfinished in ([IAC], [IAC, DO], [IAC, SB], [IAC, SB, NAWS, IAC]):
        assert telnet_every_way(b"look\n" + bytes(unfinished)) == (b"look\n", b"")


TELNET_ALPHABET = [bytes([b]) for b in (IAC, WILL, DO, DONT, WONT, SB, SE, AYT, ECHO, NAWS, 10, 13, 0)] + [b"look"]


@given(segmented(TELNET_ALPHABET))
def test_text_and_answers_do_not_depend_on_how_the_bytes_are_split(segments: list[bytes]) -> None:
    whole = telnet([b"".join(segments)])
    assert telnet(segments) == whole
    assert telnet(bytewise(b"".join(segments))) == whole


@given(segmented([b"\xff\xff", *[bytes([b]) for b in (WILL, DO, DONT, WONT, SB, SE, 10, 13, 0)], b"look"]))
def test_text_whose_255s_are_doubled_comes_out_as_it_was(segments: list[bytes]) -> None:
    assert telnet(segments) == (b"".join(segments).replace(b"\xff\xff", b"\xff"), b"")


def test_the_texts_of_splitter_and_filter_show_their_states() -> None:
    splitter = LineSplitter(cr_ends=True)
    splitter.receive(b"abc")
    assert str(splitter) == "line splitter holding 3 bytes"
    splitter.receive(b"x" * MAX_LINE_BYTES)
    assert str(splitter) == "line splitter holding an overlong line"
    telnet_filter = TelnetFilter()
    telnet_filter.receive(bytes([IAC, SB]))
    assert str(telnet_filter) == "telnet filter in subnegotiation"
