"""The report as a page without scripts: each failure is a timeline of requests, with the lines that send them again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from scramble.conform.cases import Outcome, Verdict
from scramble.conform.reports import Checked
from scramble.conform.transcript import Exchange, shortened

SHOWN: Final = 600
"""The number of characters of an answer in the table."""

LEAST_WIDTH: Final = 1.2
"""The least width of a bar, in percent of the timeline."""

ORDER: Final = (Outcome.FAIL, Outcome.LOOSE, Outcome.SKIP, Outcome.PASS)

TITLES: Final = {
    Outcome.FAIL: "Broken rules",
    Outcome.LOOSE: "Left open by the handout",
    Outcome.SKIP: "Not checked",
    Outcome.PASS: "Kept rules",
}

STYLE: Final = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 64rem; padding: 1rem; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.2rem; margin-top: 2rem; }
h3 { font-size: 1rem; margin-bottom: .3rem; overflow-wrap: anywhere; }
article { border-left: 4px solid #888; margin: 1rem 0; padding: 0 0 0 1rem; }
article.FAIL { border-color: #c62828; }
article.LOOSE { border-color: #b36b00; }
.says { font-style: italic; }
.lane { align-items: center; display: grid; gap: .5rem; grid-template-columns: 8rem 1fr; }
.lane b { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bars { background: color-mix(in srgb, CanvasText 7%, transparent); height: 1.5rem; margin: 1px 0; position: relative; }
.bar { background: #2f6fde; border-radius: 3px; bottom: 2px; color: #fff; font-size: .75rem; overflow: hidden;
  padding-left: 3px; position: absolute; top: 2px; white-space: nowrap; }
.bar.open { background: repeating-linear-gradient(45deg, #6b6b6b 0 8px, #7c7c7c 8px 16px); }
.bar.wrong { background: #c62828; }
tr.wrong { background: color-mix(in srgb, #c62828 15%, transparent); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; margin: .8rem 0; min-width: 40rem; width: 100%; }
th, td { border-bottom: 1px solid color-mix(in srgb, CanvasText 15%, transparent); padding: .2rem .5rem;
  text-align: left; vertical-align: top; }
td:first-child { font-variant-numeric: tabular-nums; text-align: right; white-space: nowrap; }
td:last-child { font-family: ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap; }
pre { background: color-mix(in srgb, CanvasText 7%, transparent); font-size: .8125rem; overflow-x: auto;
  padding: .5rem; }
ul { padding-left: 1.2rem; }
"""


def as_page(checked: Checked) -> str:
    """Return the page."""
    edition = f", edition {checked.edition}" if checked.edition else ""
    title = f"scramble conform {checked.game}: {checked.summary()}"
    parts = [
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>",
        f"<h1>{escape(checked.summary())}</h1>",
        f"<p>Server: <code>{escape(checked.server)}</code>{escape(edition)}. Seed: {checked.seed}.</p>",
    ]
    for outcome in ORDER:
        verdicts = [verdict for verdict in checked.verdicts if verdict.outcome is outcome]
        if verdicts:
            parts.append(f"<h2>{TITLES[outcome]}: {len(verdicts)}</h2>")
            parts.extend(_short(verdicts) if outcome in (Outcome.PASS, Outcome.SKIP) else map(_article, verdicts))
    return "\n".join([*parts, "</html>\n"])


def _short(verdicts: Sequence[Verdict]) -> Iterator[str]:
    yield "<ul>"
    for verdict in verdicts:
        reason = f": {escape(verdict.reason)}" if verdict.reason else ""
        yield f'<li title="{escape(verdict.says)}">{escape(verdict.name)}{reason}</li>'
    yield "</ul>"


def _article(verdict: Verdict) -> str:
    parts = [f'<article class="{verdict.outcome.value}"><h3>{escape(verdict.name)}</h3>']
    parts.append(f"<p>{escape(verdict.reason)}</p>")
    parts.append(f'<p class="says">The handout, {escape(verdict.rule)}: {escape(verdict.says)}</p>')
    if verdict.exchanges:
        parts.append(_timeline(verdict.exchanges))
        parts.append(_table(verdict.exchanges))
        lines = "\n".join(exchange.again for exchange in verdict.exchanges)
        parts.append(f"<details><summary>The same requests in a shell</summary><pre>{escape(lines)}</pre></details>")
    if verdict.output:
        parts.append(f"<details><summary>The server printed</summary><pre>{escape(verdict.output)}</pre></details>")
    return "\n".join([*parts, "</article>"])


def _timeline(exchanges: Sequence[Exchange]) -> str:
    """Return a lane for each client, with a bar for each request from its sending to its answer."""
    begin_s = exchanges[0].began_s
    end_s = max(max(exchange.began_s, exchange.ended_s or 0) for exchange in exchanges)
    length_s = (end_s - begin_s) * 1.03 + 0.001
    lanes = []
    for client in dict.fromkeys(exchange.client for exchange in exchanges):
        bars = []
        for exchange in exchanges:
            if exchange.client != client:
                continue
            left = 100 * (exchange.began_s - begin_s) / length_s
            stop = 100.0 if exchange.ended_s is None else 100 * (exchange.ended_s - begin_s) / length_s
            width = min(max(stop - left, LEAST_WIDTH), 100 - left)
            kind = "wrong" if exchange.is_wrong else "open" if exchange.ended_s is None else ""
            came = "no answer" if exchange.came is None else shortened(exchange.came, 200)
            told = escape(f"{exchange.sent} → {came}")
            place = f"left:{left:.2f}%;width:{width:.2f}%"
            bars.append(f'<span class="bar {kind}" style="{place}" title="{told}">{escape(exchange.sent)}</span>')
        lanes.append(f'<div class="lane"><b>{escape(client)}</b><div class="bars">{"".join(bars)}</div></div>')
    return f'<div aria-hidden="true">{"".join(lanes)}</div>'


def _table(exchanges: Sequence[Exchange]) -> str:
    rows = []
    for exchange in exchanges:
        begin_ms = 1000 * (exchange.began_s - exchanges[0].began_s)
        ended = "" if exchange.ended_s is None else f"{1000 * (exchange.ended_s - exchanges[0].began_s):.0f}"
        came = "no answer" if exchange.came is None else shortened(exchange.came, SHOWN)
        cells = (f"{begin_ms:.0f}–{ended}", exchange.client, exchange.sent, came)
        row = '<tr class="wrong">' if exchange.is_wrong else "<tr>"
        rows.append(row + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    head = "<tr><th>ms</th><th>client</th><th>sent</th><th>came</th></tr>"
    return f'<div class="scroll"><table>{head}{"".join(rows)}</table></div>'
