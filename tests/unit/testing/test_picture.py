"""`linearizable(..., html=FILE)` draws the window that no order explains.

Strategy: partitions and which test covers which
- the page is: well-formed; one file without scripts and links; in UTF-8; readable in light and dark
- texts: of markup, quotes and other alphabets; long; with line breaks
- the file is given as: a string; a path
- calls: returned; of unknown outcome; cancelled; seen to wait; of twelve clients
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from scramble.testing import NotLinearizable, linearizable
from tests.unit.testing.recorder import Recorder, Register

EMPTY_ELEMENTS = {"meta", "br", "hr", "link", "img", "input", "wbr", "line", "rect", "path", "circle"}


class Reader(HTMLParser):
    """The texts and elements of a page. It fails at an element that is not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.open: list[str] = []
        self.elements: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += attrs
        if tag not in EMPTY_ELEMENTS:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        if tag not in EMPTY_ELEMENTS:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


def page(recorder: Recorder, file: Path, model: Register | None = None) -> tuple[str, Reader]:
    """Return the source of the page that a refused history writes, and the page as read."""
    with pytest.raises(NotLinearizable):
        linearizable(recorder.history, model or Register(), html=file)
    source = file.read_text(encoding="utf-8")
    reader = Reader()
    reader.feed(source)
    reader.close()
    assert reader.open == []
    return source, reader


def test_a_page_shows_clients_operations_answers_and_the_state(tmp_path: Path) -> None:
    recorder = Recorder()
    recorder.do("ann", ("write", 1234), None)
    write = recorder.start("bob", ("write", 5))
    recorder.do("cid", "read", 5)
    recorder.do("ann", "read", 4321)
    write.returns(None)
    source, reader = page(recorder, tmp_path / "window.html")

    assert source.lower().startswith("<!doctype html>")
    for text in ("ann", "bob", "cid", "('write', 5)", "'read'", "4321", "Register(value=1234)"):
        assert text in reader.text


def test_a_page_is_one_file_without_scripts(tmp_path: Path) -> None:
    recorder = Recorder()
    recorder.do("ann", "read", 1)
    source, reader = page(recorder, tmp_path / "window.html")

    assert not {"script", "link", "img", "iframe"} & {*reader.elements}
    assert not [name for name, _ in reader.attributes if name in {"src", "href"} or name.startswith("on")]
    assert re.search("charset=.?utf-8", source, re.IGNORECASE)
    assert "title" in reader.elements
    assert ("name", "viewport") in reader.attributes
    assert any(name == "lang" for name, _ in reader.attributes)
    assert "color-scheme" in source


def test_texts_are_escaped(tmp_path: Path) -> None:
    recorder = Recorder()
    recorder.do("<b>ann</b>", "read", '"><script>alert(1)</script>&amp; Žofia 🂡 \ud800')
    _, reader = page(recorder, tmp_path / "window.html")

    assert {"b", "script"} & {*reader.elements} == set()
    assert "<b>ann</b>" in reader.text
    assert "<script>alert(1)</script>&amp; Žofia 🂡" in reader.text


def test_a_page_shows_all_ends_of_calls(tmp_path: Path) -> None:
    recorder = Recorder()
    recorder.start("lost", ("write", 1)).is_lost()
    waiting = recorder.start("patient", ("write", 2))
    waiting.waits()
    recorder.start("open", ("write", 3))
    recorder.do("reader", "read", 9)
    waiting.returns(None)
    _, reader = page(recorder, tmp_path / "window.html")

    for text in ("lost", "patient", "open", "reader", "9"):
        assert text in reader.text


def test_a_page_shows_twelve_clients_and_long_texts(tmp_path: Path) -> None:
    recorder = Recorder()
    text = "a long word " * 40
    running = [recorder.start(f"client {number}", ("add", number)) for number in range(12)]
    recorder.do("writer", "read", text)
    for call in running:
        call.returns(text + "\n")
    _, reader = page(recorder, tmp_path / "window.html")

    for number in range(12):
        assert f"client {number}" in reader.text
    assert text in reader.text


def test_a_file_is_named_by_a_string(tmp_path: Path) -> None:
    recorder = Recorder()
    recorder.do("ann", "read", 1)
    with pytest.raises(NotLinearizable, match=re.escape("window.html")):
        linearizable(recorder.history, Register(), html=str(tmp_path / "window.html"))

    assert "ann" in (tmp_path / "window.html").read_text(encoding="utf-8")
