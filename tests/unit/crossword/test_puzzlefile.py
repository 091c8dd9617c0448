r"""Testing strategy: the grammar of puzzle files, production by production.

- FILE: header only · entries · nothing · text after the last entry · no line end after the last entry
- the header's newline: LF · CRLF · blanks or a comment before it · missing at the end of the file · missing before an
  entry · lone CR
- white space between any two tokens, also before `>>`: none · spaces · tabs · LF · CRLF · comments
- comments: to the end of a line · at the end of the file · `//` within strings
- StringIdent: empty · any allowed character · each excluded character
- String: empty · escapes, each · a raw tab · unknown escapes · an escaped quote · not closed
- WORDNAME: letters, hyphens · upper case, digits, empty
- DIRECTION: both · other case · a prefix
- Int: 0 · leading zeros · thousands of digits · signs · other scripts' digits
- errors: line and column at the first, a middle and the last line, with CRLF, at the end of the file; bytes that are
  not UTF-8; a byte order mark
- Hypothesis: a file that is printed with random white space and comments is read back unchanged
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scramble.crossword import Entry, Puzzle, PuzzleFileError
from scramble.crossword.puzzlefile import MAX_NUMBER, FileContents, decode_bytes, read_text
from scramble.errors import FileFormatError
from tests.support.crossword.driver import SIMPLE

HEADER = '>> "a name" "a description"\n'


def read(text: str) -> FileContents:
    return read_text(text, "x.puzzle")


def error(text: str) -> PuzzleFileError:
    with pytest.raises(PuzzleFileError) as failed:
        read(text)
    assert failed.value.file == "x.puzzle"
    return failed.value


def place(text: str) -> tuple[int, int | None]:
    found = error(text)
    return found.line, found.column


def test_the_handouts_example_is_read_entry_by_entry() -> None:
    assert read(SIMPLE) == FileContents(
        name="Simple Puzzle",
        description="A trivial puzzle designed to show how puzzles work",
        entries=(
            Entry("cat", "feline companion", "DOWN", 0, 1),
            Entry("mat", "lounging place for feline companion", "ACROSS", 1, 0),
        ),
        places=((2, 3), (3, 3)),
    )


def test_a_header_alone_is_a_file_with_no_entries() -> None:
    assert read(HEADER).entries == ()


@pytest.mark.parametrize("text", ["", " \n", "// only a comment", '(cat, "", DOWN, 0, 0)', '> > "a" "b"\n'])
def test_a_file_must_begin_with_the_two_signs(text: str) -> None:
    assert "expected `>>`" in error(text).reason


@pytest.mark.parametrize("end", ["\n", "\r\n", "  \t\n", " // comment\n", "//\r\n", ' // "quoted" // twice\r\n'])
def test_the_header_ends_with_its_line_for_every_line_end(end: str) -> None:
    assert len(read('>> "a" "b"' + end + '(cat, "", DOWN, 0, 0)').entries) == 1


@pytest.mark.parametrize("end", ["", " ", " // comment", "\r", "// comment\r"])
def test_a_header_whose_line_does_not_end_is_rejected(end: str) -> None:
    assert "the end of the header's line, but the file ends" in error('>> "a" "b"' + end).reason


@pytest.mark.parametrize("between", ["", " ", "\r", "\t\r "])
def test_an_entry_on_the_headers_line_is_rejected(between: str) -> None:
    found = error(f'>> "a" "b"{between}(cat, "", DOWN, 0, 0)\n')
    assert "the end of the header's line, but found `(`" in found.reason
    assert found.line == 1


def test_the_header_may_begin_after_comments_and_be_spread_over_lines() -> None:
    text = '// a comment\r\n\n\t// another\n>>\n"a"// name\r\n\r\n"b"\n'
    assert read(text).name == "a"
    assert read(text).description == "b"


def test_no_white_space_is_needed_between_tokens() -> None:
    text = '>>"a""b"\n(cat,"c",DOWN,0,1)(mat,"m",ACROSS,1,0)'
    assert [entry.word for entry in read(text).entries] == ["cat", "mat"]


def test_only_the_headers_line_end_has_a_meaning() -> None:
    text = HEADER + '(\ncat\n,\r\n"c"\n,\nDOWN\n,\n0\n,\n1\n)(mat,"m",ACROSS,\r\n\r\n1,0)\n\n'
    assert [entry.word for entry in read(text).entries] == ["cat", "mat"]
    assert read(text).places == ((3, 1), (12, 3))


def test_comments_may_stand_between_any_two_tokens_and_at_the_end_of_the_file() -> None:
    text = (
        '//(\n>>//>>\n"a"//"\n"b"//)\n(//(\ncat//dog\n,//,\n"c"//"\n,//\nDOWN//ACROSS\n,//\n0//1\n,//\n1//0\n)//)\n//'
    )
    assert read(text).entries == (Entry("cat", "c", "DOWN", 0, 1),)


def test_two_slashes_within_a_string_are_no_comment() -> None:
    contents = read('>> "http://a" "b // c"\n(cat, "d // e", DOWN, 0, 0) // f\n')
    assert (contents.name, contents.description) == ("http://a", "b // c")
    assert contents.entries[0].clue == "d // e"


def test_one_slash_is_no_comment() -> None:
    assert place(HEADER + "/ comment\n") == (2, 1)


@pytest.mark.parametrize("name", ["", "Größe 猫 🐈", "it's", "\x00\x1b", "a//b", "('x', DOWN)"])
def test_a_name_is_any_text_without_quotes_line_ends_tabs_and_backslashes(name: str) -> None:
    assert read(f'>> "{name}" ""\n').name == name


@pytest.mark.parametrize("character", ["\t", "\\", "\n", "\r", "\\n"])
def test_a_name_with_a_forbidden_character_is_rejected(character: str) -> None:
    assert "expected the puzzle's name" in error(f'>> "a{character}b" ""\n').reason


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("", ""),
        (r"a\\b", "a\\b"),
        (r"a\nb", "a\nb"),
        (r"\r\t", "\r\t"),
        (r"\\n", "\\n"),
        ("a\tb", "a\tb"),
        ("'猫'", "'猫'"),
    ],
)
def test_escapes_in_descriptions_and_clues_are_decoded(written: str, meant: str) -> None:
    contents = read(f'>> "" "{written}"\n(cat, "{written}", DOWN, 0, 0)')
    assert (contents.description, contents.entries[0].clue) == (meant, meant)


@pytest.mark.parametrize(
    ("clue", "reason"),
    [
        (r'"a\q"', r"a backslash that begins none of the escapes"),
        (r'"a\"b"', r"a backslash that begins none of the escapes"),
        ('"a', "no closing quote before the file ends"),
        ('"a\n"', "no closing quote on its line"),
        ('"a\r\n"', "no closing quote on its line"),
        ("cat", "found `c`"),
        ("'a'", "found `'`"),
    ],
)
def test_a_clue_that_is_no_string_is_explained(clue: str, reason: str) -> None:
    found = error(f"{HEADER}(cat, {clue}")
    assert "expected a clue in double quotes" in found.reason
    assert reason in found.reason
    assert found.line == 2


def test_the_error_of_a_bad_escape_has_its_column() -> None:
    assert place(HEADER + r'(cat, "ab\q", DOWN, 0, 0)') == (2, 10)


@pytest.mark.parametrize("word", ["a", "-", "a-b", "--", "down", "across", "x" * 1000])
def test_words_are_of_small_letters_and_hyphens(word: str) -> None:
    assert read(f'{HEADER}({word}, "", DOWN, 0, 0)').entries[0].word == word


@pytest.mark.parametrize("word", ["", "Cat", "DOWN", "c4t", "çat", '"cat"', "cat dog", "cat_", "c at"])
def test_a_word_of_anything_else_is_rejected(word: str) -> None:
    reason = error(f'{HEADER}({word}, "", DOWN, 0, 0)').reason
    assert "letters a to z" in reason or "expected a comma" in reason


@pytest.mark.parametrize("direction", ["down", "Down", "ACROS", "ACROSSS", "UP", "", '"DOWN"'])
def test_a_direction_is_down_or_across_in_capitals(direction: str) -> None:
    reason = error(f'{HEADER}(cat, "", {direction}, 0, 0)').reason
    assert "DOWN or ACROSS" in reason or "expected a comma" in reason


@pytest.mark.parametrize(
    ("digits", "number"),
    [
        ("0", 0),
        ("007", 7),
        ("199", 199),
        ("0" * 10_000 + "5", 5),
        ("9" * 10_000, MAX_NUMBER),
        (str(MAX_NUMBER), MAX_NUMBER),
    ],
)
def test_numbers_may_have_any_number_of_digits(digits: str, number: int) -> None:
    entry = read(f'{HEADER}(cat, "", DOWN, {digits}, {digits})').entries[0]
    assert (entry.row, entry.column) == (number, number)


@pytest.mark.parametrize("digits", ["-1", "+1", "1.0", "1 2", "٣", "0x1", "", "one"])
def test_a_number_is_nothing_but_digits(digits: str) -> None:
    assert error(f'{HEADER}(cat, "", DOWN, {digits}, 0)').line == 2
    assert error(f'{HEADER}(cat, "", DOWN, 0, {digits})').line == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEADER + "cat", (2, 1)),
        (HEADER + '(cat, "", DOWN, 0, 0)\n(mat', (3, 5)),
        (HEADER + '(cat, "", DOWN, 0, 0)\r\n\r\n  (mat; "")', (4, 7)),
        (HEADER + '(cat, "", DOWN, 0, 0)\n>> "b" "c"\n', (3, 1)),
        (HEADER + '(cat, "", DOWN, 0)', (2, 18)),
        (HEADER + '(cat, "", DOWN, 0, 0, 0)', (2, 21)),
        ('"a"', (1, 1)),
        (">> 'a'", (1, 4)),
        ('>> "a"\n', (2, 1)),
        ('>> "猫"\u00a0"b"\n', (1, 7)),
    ],
)
def test_errors_name_the_line_and_column_from_1(text: str, expected: tuple[int, int]) -> None:
    assert place(text) == expected


def test_an_error_is_a_file_format_error_that_reads_as_one_line() -> None:
    found = error(HEADER + "(cat dog)")
    assert isinstance(found, FileFormatError)
    assert str(found) == "x.puzzle:2:6: expected a comma, but found `d`"


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\u2028", "\ud800"])
def test_an_unprintable_character_is_named_by_its_code_point(character: str) -> None:
    reason = error(HEADER + character).reason
    assert f"U+{ord(character):04X}" in reason
    assert reason.isprintable()


@pytest.mark.parametrize(
    ("data", "expected"),
    [(b"\xff", (1, 1)), (b">> \n\xc3\xa9 \xe9", (2, 3)), (b"\xef\xbb\xbfab\r\n\xe9", (2, 1)), (b"ab\xc3", (1, 3))],
)
def test_bytes_that_are_not_utf8_are_an_error_at_their_place(data: bytes, expected: tuple[int, int]) -> None:
    with pytest.raises(PuzzleFileError, match="UTF-8") as failed:
        decode_bytes(data, "x.puzzle")
    assert (failed.value.line, failed.value.column) == expected


def test_a_byte_order_mark_is_no_part_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "marked.puzzle"
    path.write_bytes(b"\xef\xbb\xbf" + SIMPLE.encode())
    assert Puzzle.parse_from_file(path).name == "Simple Puzzle"


def test_long_strings_are_read_in_reasonable_time_and_depth() -> None:
    text = f'>> "{"n" * 100_000}" "{"d" * 100_000}"\n(cat, "{chr(92) * 100_000}", DOWN, 0, 0)'
    assert len(read(text).entries[0].clue) == 50_000


blanks = st.lists(
    st.sampled_from([" ", "\t", "\n", "\r\n", "// x\n", "//\r\n", '// "q" ) >>\n', "\f"]), max_size=3
).map("".join)
one_line_blanks = st.sampled_from(["", " ", "\t ", "// header", ' // "x"'])
strings = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = strings.map(lambda text: "".join(letter for letter in text if letter not in '"\r\n\t\\'))
texts = strings.map(lambda text: text.replace('"', ""))
words = st.text("abcxyz-", min_size=1, max_size=8)
entries = st.builds(
    Entry, words, texts, st.sampled_from(["DOWN", "ACROSS"]), st.integers(0, 10**8), st.integers(0, 10**8)
)


def quoted(text: str) -> str:
    escapes = {"\\": "\\\\", "\n": "\\n", "\r": "\\r"}
    return f'"{"".join(escapes.get(letter, letter) for letter in text)}"'


@given(st.data(), names, texts, st.lists(entries, max_size=4))
def test_a_file_with_any_white_space_and_comments_is_read_back_unchanged(
    data: st.DataObject, name: str, description: str, written: list[Entry]
) -> None:
    tokens = []
    for entry in written:
        tokens += ["(", entry.word, ",", quoted(entry.clue), ",", entry.direction, ",", str(entry.row), ","]
        tokens += [str(entry.column), ")"]
    text = "".join(data.draw(blanks) + token for token in [">>", f'"{name}"', quoted(description)])
    text += data.draw(one_line_blanks) + data.draw(st.sampled_from(["\n", "\r\n"]))
    text += "".join(data.draw(blanks) + token for token in tokens) + data.draw(blanks)
    contents = read(text)
    assert (contents.name, contents.description, contents.entries) == (name, description, tuple(written))
    lines = text.split("\n")
    for entry, (line, column) in zip(written, contents.places, strict=True):
        assert lines[line - 1][column - 1 :].startswith(entry.word)


@given(st.text('>"ab(),\\/\n\r\t 01DOWN-é', max_size=40))
def test_any_text_is_read_or_rejected_with_a_place_in_it(text: str) -> None:
    try:
        read(HEADER + text)
    except PuzzleFileError as rejected:
        found = rejected
    else:
        return
    lines = (HEADER + text).split("\n")
    assert 1 <= found.line <= len(lines)
    assert found.column is not None
    assert 1 <= found.column <= len(lines[found.line - 1]) + 1
