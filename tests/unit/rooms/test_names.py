"""Names of rooms: the list of words, new names, valid and invalid names; and titles: normal form and length limit."""

from __future__ import annotations

import pytest

from scramble.rooms.names import (
    MARKED,
    MOST_TITLE,
    ROOM_NAME_WORDS,
    BadTitle,
    TitleTooLong,
    is_room_name,
    new_name,
    settled_title,
)


def without_one_letter(word: str) -> set[str]:
    """Return, for each letter of the word, the word without the letter and the word with a space instead of it."""
    return {word[:at] + gap + word[at + 1 :] for at in range(len(word)) for gap in ("", " ")}


def test_there_are_1024_short_words_in_order() -> None:
    assert len(ROOM_NAME_WORDS) == len(set(ROOM_NAME_WORDS)) == 1024
    assert list(ROOM_NAME_WORDS) == sorted(ROOM_NAME_WORDS)
    assert all(3 <= len(word) <= 7 and word.isascii() and word.isalpha() and word.islower() for word in ROOM_NAME_WORDS)


def test_no_single_typing_error_turns_a_word_into_another() -> None:
    met: dict[str, str] = {}
    for word in ROOM_NAME_WORDS:
        assert not without_one_letter(word) & set(ROOM_NAME_WORDS), word
        for key in without_one_letter(word):
            if " " in key:
                assert key not in met, f"{word} and {met[key]}"
                met[key] = word


def test_new_names_are_names_and_differ() -> None:
    names = {new_name() for _ in range(200)}
    assert len(names) == 200
    assert all(map(is_room_name, names))
    assert all(set(name.split("-")) <= set(ROOM_NAME_WORDS) for name in names)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "acorn",
        "acorn-acorn-acorn",
        "acorn-acorn-acorn-acorn-acorn",
        "Acorn-acorn-acorn-acorn",
        "../x-acorn-acorn-acorn",
        "acorn-acorn-acorn-acorn\n",
        "acorn-acorn-acorn-ac",
        "acorn acorn acorn acorn",
    ],
)
def test_an_invalid_name_is_never_a_file(text: str) -> None:
    assert not is_room_name(text)


@pytest.mark.parametrize(
    ("title", "settled"),
    [
        ("", ""),
        ("  Friday \t night ", "Friday night"),
        ("Zoe\u0308", "Zo\u00eb"),
        ("e\u0301" * MOST_TITLE, "\u00e9" * MOST_TITLE),
        ("\u1112\u1161\u11ab" * MOST_TITLE, "\ud55c" * MOST_TITLE),
        (" " * (MARKED * MOST_TITLE - 1) + "x", "x"),
    ],
)
def test_a_title_is_kept_in_normal_form_with_single_blanks(title: str, settled: str) -> None:
    assert settled_title(title) == settled


@pytest.mark.parametrize("title", ["x" * (MOST_TITLE + 1), "e\u0301\u0301" * (MOST_TITLE + 1)])
def test_a_title_has_at_most_sixty_characters(title: str) -> None:
    with pytest.raises(TitleTooLong):
        settled_title(title)


@pytest.mark.parametrize("title", [" " * (MARKED * MOST_TITLE) + "x", "a" + "\u0323\u0301" * 2**20])
def test_a_text_much_longer_than_a_title_is_refused_before_it_is_normalized(title: str) -> None:
    with pytest.raises(TitleTooLong):  # normalization to NFC would take hours for the second title
        settled_title(title)


@pytest.mark.parametrize("title", ["a\u200bb", "\u202eabc", "a\x07", "\ud800"])
def test_a_title_has_no_invisible_characters(title: str) -> None:
    with pytest.raises(BadTitle):
        settled_title(title)
