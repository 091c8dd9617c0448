"""A picture of a window of a history, as a page without scripts: the calls of each client over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from scramble.testing.history import Call

LEFT: Final = 140  # pixels for the clients' names
WIDTH: Final = 860  # pixels for the calls, unless the least step needs more
LEAST_STEP: Final = 40  # pixels between two moments
MOST_STEP: Final = 110
ROW: Final = 54
BAR: Final = 42
TOP: Final = 12

STYLE: Final = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 2rem; }
h1 { font-size: 1.5rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
text { font: 13px system-ui, sans-serif; fill: #fff; }
.client { fill: CanvasText; }
.line { stroke: CanvasText; opacity: .2; }
.call { fill: #2f6fde; background: #2f6fde; }
.waits { fill: #2f6fde; background: #2f6fde; opacity: .4; }
.unknown { fill: #6b6b6b; background: #6b6b6b; }
.wrong { fill: #c62828; background: #c62828; }
.key { display: inline-block; width: 1em; height: 1em; margin: 0 .3em 0 1em; vertical-align: -.1em; }
"""

LEGEND: Final = {
    "wrong": "the answer that no order explains",
    "call": "another call",
    "waits": "before the call was seen to wait",
    "unknown": "no answer",
}


def picture(window: Sequence[Call], last: int, message: str) -> str:
    """Return the page. `last`: the moment of the answer that no order explains. The picture ends there."""
    all_moments = {moment for call in window for moment in (call.began, call.waited, call.ended)}
    moments = sorted(moment for moment in all_moments if moment is not None and moment <= last)
    step = max(LEAST_STEP, min(MOST_STEP, WIDTH // len(moments)))
    place = {moment: LEFT + step * index for index, moment in enumerate(moments)}
    end = LEFT + step * len(moments)
    rows = _rows(window)
    height = TOP + ROW * (max(rows.values()) + 1)
    shapes = "\n".join(_shapes(window, rows, place, end, last))
    legend = "\n".join(f'<span class="key {kind}"></span>{words}' for kind, words in LEGEND.items())
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n<title>No order explains this history</title>\n'
        f"<style>{STYLE}</style>\n<h1>No order explains this history</h1>\n"
        f'<div class="scroll"><svg width="{end}" height="{height}" role="img" '
        f'aria-label="The calls of each client over time. The text below has the same content.">\n{shapes}\n'
        f"</svg></div>\n<p>{legend}</p>\n<pre>{escape(message)}</pre>\n</html>\n"
    )


def _rows(window: Sequence[Call]) -> dict[Call, int]:
    """Return a row for each call: the calls of a client are together, and calls that overlap have different rows."""
    rows: dict[Call, int] = {}
    first = 0
    for client in dict.fromkeys(call.client for call in window):
        ends: list[float] = []
        for call in (call for call in window if call.client == client):
            free = next((row for row, end in enumerate(ends) if end < call.began), len(ends))
            ends[free : free + 1] = [float("inf") if call.ended is None else call.ended]
            rows[call] = first + free
        first += len(ends)
    return rows


def _shapes(window: Sequence[Call], rows: dict[Call, int], place: dict[int, int], end: int, last: int) -> Iterator[str]:
    named: set[object] = set()
    for call in window:
        y = TOP + ROW * rows[call]
        begin = place[call.began]
        stop = end if call.ended is None or call.ended > last else place[call.ended]
        if call.client not in named:
            named.add(call.client)
            yield f'<line class="line" x1="0" x2="{end}" y1="{y - 6}" y2="{y - 6}"/>'
            yield _text(4, y, LEFT - 12, "client", str(call.client))
        kind = "unknown" if call.ended is None else "wrong" if call.ended == last else "call"
        yield f"<g><title>{escape(str(call))}</title>"
        if call.waited is not None:
            yield _bar(begin, y, place[call.waited] - begin, "waits")
            begin = place[call.waited]
        answer = "→ ?" if call.ended is None else f"→ {call.answer!r}"
        yield _bar(begin, y, stop - begin, kind)
        yield _text(begin + 6, y, stop - begin - 8, "", repr(call.operation), answer) + "</g>"


def _bar(x: int, y: int, width: int, kind: str) -> str:
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{BAR}" rx="4"/>'


def _text(x: int, y: int, width: int, kind: str, *lines: str) -> str:
    """Return lines of text that are cut off at a width."""
    texts = (f'<text class="{kind}" y="{17 + 17 * row}">{escape(line)}</text>' for row, line in enumerate(lines))
    return f'<svg x="{x}" y="{y}" width="{width}" height="{BAR}">{"".join(texts)}</svg>'
