"""Words of the pages are only in catalogues (`words/`, `kind-words/`, `replay-words/` of a page).

Testing strategy. The markup: text and attributes that people read or hear. `<code>` is the same in every language. Text
for a browser without scripts, or for a search engine, has no catalogue. The message about lost files, the same on all
pages, is in English until a catalogue has loaded. The modules: literals that look like words, or literals that a
function shows. catalogues.test.js compares the catalogues, tsc checks their types, and test_replay_words.py compares
the catalogues of replays with the server's sentences.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

import pytest

from scramble.resources import CLIENT
from tests.support.scripts import literals

LANGUAGES: Final = ("en", "de", "es", "fr")
CATALOGUES: Final = {"words", "kind-words", "replay-words"}  # folders

SPOKEN: Final = {"aria-label", "alt", "placeholder", "title", "aria-description", "aria-roledescription"}
SILENT: Final = {"code", "noscript", "title", "script", "style"}

INCOMPLETE: Final = """
    <p class="incomplete" role="alert">
      <span data-words="incomplete">A part of this page has not loaded.</span>
      <a class="button button-primary" href="" data-words="reload">Try again</a>
    </p>
"""

NAMES: Final = {"English", "Deutsch", "Español", "Français"}  # each in its own language, on the pages of all languages
IDS: Final = {"the program"}  # an ID of a player, the same in every language
CLASSES: Final = {"dug green", "tile flag"}  # two CSS classes, without `class:` before them

KEYS: Final = re.compile(
    r"Arrow\w+|Backspace|Delete|End|Enter|Escape|Home|Page(Up|Down)|Shift|Space|Tab|Control|Alt|Meta"
)
SENTENCE: Final = re.compile(
    r"(?<![-\w])[^\W\d_]{2,}[,:;.!?]?(’\w+)?[ \u00a0]+[^\W\d_]+(?![-\w=])"
)  # two words in a row
CAPITAL: Final = re.compile(r"[A-ZÀ-Þ][a-zß-ÿ]+[.:!?…]*")
SHOWN: Final = re.compile(
    r"(\btext|\btextContent|\bplaceholder|\balt|\btitle|aria-label\"?): ?$|\.(textContent|title|placeholder) = $"
)
# CSS classes and selectors, errors for programmers, queries, names of keys, and names of Web interfaces.
CODE: Final = re.compile(
    r"(\bclass: [^,{}]*|className = |Error\(|console\.\w+\(|\bkey: ?|[!=]== |\w\[|headers\.get\(|instanceof "
    r"|\b(get|new)Context\(|\bfont = "
    r"|(querySelector(All)?|closest|matches|within|hit|media|matchMedia)\((\w+, ?)?"
    r"|const (STYLE|html) = "  # the page without a server has all text in one module
    r"|setAttribute\(\"[^\"]*\", ?|createElementNS\(\w+, ?)$"
)


class Markup(HTMLParser):
    """Collects the words in a page's markup."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self._open: Final[list[str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.words += [f"{name}={value}" for name, value in attrs if name in SPOKEN and has_letter(value or "")]
        if tag not in {"img", "input", "link", "meta", "br"}:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._open[-1:] == ["kbd"] and len(data) == 1:
            return  # the letter on a key
        if has_letter(data) and not SILENT.intersection(self._open):
            self.words.append(" ".join(data.split()))


def has_letter(text: str) -> bool:
    filled_in = re.sub(r"\{\w+\}", "", text)  # placeholders that the server fills in
    return any(character.isalpha() for character in filled_in)


def looks_like_words(text: str, before: str) -> bool:
    """True if a literal says something to people. The code before the literal counts, too."""
    if not has_letter(text) or text in CLASSES | NAMES | IDS or CODE.search(before):
        return False
    if text.isupper():  # a state or a command of a text protocol
        return False
    return bool(SENTENCE.search(text) or (CAPITAL.fullmatch(text) and not KEYS.fullmatch(text)))


def of_pages(pattern: str) -> list[Path]:
    return sorted(CLIENT.rglob(pattern))


def name(path: Path) -> str:
    return path.relative_to(CLIENT).as_posix()


@pytest.mark.parametrize("page", of_pages("*.html"), ids=name)
def test_no_page_has_words_in_its_markup(page: Path) -> None:
    markup = Markup()
    markup.feed(page.read_text(encoding="utf-8").replace(INCOMPLETE, ""))
    assert markup.words == []


@pytest.mark.parametrize("page", of_pages("*.html"), ids=name)
def test_every_page_has_the_message_about_lost_files_and_its_script_first(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert f"<body>{INCOMPLETE}" in text
    files = re.findall(r'(?:src|href)="(client/[^"]*)"', text)
    assert files[0] == "client/shared/loading.js"


@pytest.mark.parametrize("module", [path for path in of_pages("*.js") if path.parent.name not in CATALOGUES], ids=name)
def test_no_module_has_words_of_its_own(module: Path) -> None:
    found = [
        f"{module.name}:{line}: {text}"
        for line, text, before in literals(module.read_text(encoding="utf-8"))
        if looks_like_words(text, before) or (SHOWN.search(before) and has_letter(text.replace("…", "")))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "before", "is_words"),
    [
        ("Connected", "say(", True),
        ("not connected", "", True),
        ("Turn over a card.", "", True),
        ("…, face down", "return ", True),
        ("button button-small", "{ class: ", False),
        ("Enter", "key === ", False),
        ("data-words", "", False),
        ("the page has no …", "throw new Error(", False),
        ("../shared/dom.js", "from ", False),
        ("Accept-Language", "", False),
    ],
)
def test_words_are_told_from_code(text: str, before: str, is_words: bool) -> None:
    assert looks_like_words(text, before) == is_words


def test_literals_are_found_also_in_templates_and_beside_regular_expressions() -> None:
    source = """
    // "no comment"
    const a = /["'`/]+/g; /* 'nor this' */
    const b = `one ${f("two", `three ${{ four: 'fo\\'ur' }.four}`)} five`; // it's
    const c = x / 2 + y / "six".length;
    """
    assert [text for _, text, _ in literals(source)] == ["two", "fo\\'ur", "three …", "one … five", "six"]


@pytest.mark.parametrize("folder", sorted({file.parent for file in CLIENT.glob("*/*/en.js")}), ids=name)
def test_every_catalogue_is_there_in_every_language(folder: Path) -> None:
    assert sorted(path.stem for path in folder.iterdir()) == sorted(LANGUAGES)


@pytest.mark.parametrize("catalogue", sorted(CLIENT.glob("*/*/fr.js")), ids=name)
def test_french_has_no_space_before_a_mark_at_which_a_line_may_break(catalogue: Path) -> None:
    found = [text for _, text, _ in literals(catalogue.read_text(encoding="utf-8")) if re.search(r" [:;!?»]|« ", text)]
    assert found == []
