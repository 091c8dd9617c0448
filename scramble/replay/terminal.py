"""Replay in a terminal: the game at its original speed, the board after one command, or a table of the figures.

A terminal shows a board that changes. A pipe or a file gets plain lines without pauses. Players choose names, cards and
clues, so characters that could move the cursor are never printed.
"""

from __future__ import annotations

import signal
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Final

from rich.cells import cell_len
from rich.console import Console, Group
from rich.live import Live
from rich.style import Style
from rich.table import Table
from rich.text import Text

from scramble.games.narration import Spot, Step
from scramble.games.told import English
from scramble.plaintext import escaped
from scramble.replay.seek import Replay

LONGEST_SHOWN_PAUSE_S: Final = 3.0  # longer pauses, such as a classroom's lunch break, are shortened to this time
REDRAW_S: Final = 0.05  # faster changes would be invisible, and too fast for a slow terminal
LINES: Final = 6  # sentences below the board
AROUND: Final = 5  # commands shown before and after the chosen one
WIDEST_CARD: Final = 12  # columns; longer words are cut
COLOURS: Final = ("cyan", "magenta", "yellow", "green", "blue", "red", "bright_cyan", "bright_magenta", "bright_yellow")


def play(replay: Replay, console: Console, speed: float) -> None:
    """Play the recording to its end. A terminal shows it at `speed` times its original speed. Blocks.

    Without a terminal, all lines are printed at once.

    Raises KeyboardInterrupt at Ctrl-C.
    """
    if not console.is_terminal:
        _line(console, heading(replay))
        while replay.at < replay.last:
            for line in lines_of(replay.step(), replay.narrator.english):
                _line(console, line)
        _line(console, replay.narrator.caption())
        return
    latest: deque[str] = deque(maxlen=LINES)
    note = f"at {speed:g} times its speed; pauses longer than {LONGEST_SHOWN_PAUSE_S:g} s are shortened; Ctrl-C ends it"
    due = drawn = time.monotonic()
    before = replay.recording.began
    with interruption() as interrupted, Live(console=console, auto_refresh=False, vertical_overflow="visible") as live:
        live.update(_screen(replay, console, note, latest), refresh=True)
        while replay.at < replay.last:
            after = replay.recording.records[replay.at].time
            due = max(due + min(max(0.0, after - before), LONGEST_SHOWN_PAUSE_S) / speed, time.monotonic() - REDRAW_S)
            before = after
            wait = due - time.monotonic()
            if wait > 0:
                live.update(_screen(replay, console, note, latest), refresh=True)
                interrupted.wait(wait)
                drawn = time.monotonic()
            if interrupted.is_set():
                raise KeyboardInterrupt
            latest.extend(lines_of(replay.step(), replay.narrator.english))
            if time.monotonic() - drawn > REDRAW_S:
                live.update(_screen(replay, console, note, latest), refresh=True)
                drawn = time.monotonic()
        live.update(_screen(replay, console, "the end", latest), refresh=True)


@contextmanager
def interruption() -> Iterator[threading.Event]:
    """Yield an event that Ctrl-C sets during the block. An exception during drawing could be ignored instead."""
    event = threading.Event()
    before = signal.signal(signal.SIGINT, lambda *_: event.set())
    try:
        yield event
    finally:
        signal.signal(signal.SIGINT, before)


def show_at(replay: Replay, console: Console, seq: int) -> None:
    """Print the board after command `seq`, and the commands around it. Requires 0 <= `seq` <= `replay.last`."""
    first = max(0, seq - AROUND)
    replay.seek(first)
    before = [replay.step() for _ in range(seq - first)]
    _line(console, heading(replay))
    _line(console, f"after command {seq} of {replay.last}:" if seq else f"before the first of {replay.last} commands:")
    for row in _picture(replay, console):
        _line(console, row)
    _line(console, replay.narrator.caption())
    after = [replay.step() for _ in range(min(AROUND, replay.last - seq))]
    for step in (*before, *after):
        mark = ">" if step.seq == seq else " "
        for line in lines_of(step, replay.narrator.english):
            _line(console, f"{mark} {line}")


def show_summary(replay: Replay, console: Console) -> None:
    """Print the figures of all players, from the whole recording."""
    replay.seek(replay.last)
    summary = replay.narrator.summary()
    _line(console, heading(replay))
    table = Table("player")
    english = replay.narrator.english
    for column in summary.columns:
        table.add_column(english.title(column), justify="right")
    for player, figures in summary.rows.items():
        words = map(english.figure, summary.columns, figures)
        table.add_row(escaped(player), *map(escaped, words))
    if not console.is_terminal:  # wide enough, because a program cannot use a cut table
        console = Console(file=console.file, width=200)
    console.print(table)
    _line(console, replay.narrator.caption())


def heading(replay: Replay) -> str:
    """Return a line about the recording: its kind, name, start and length."""
    recording = replay.recording
    began = datetime.fromtimestamp(recording.began).astimezone()
    commands = "1 command" if replay.last == 1 else f"{replay.last} commands"
    return f"{recording.kind} ({recording.name}), begun {began:%Y-%m-%d %H:%M:%S %Z}, {commands}"


def lines_of(step: Step, english: English) -> list[str]:
    """Return a step as lines: its number, time of day, words and rule, and below them its consequences."""
    at = datetime.fromtimestamp(step.time).astimezone()
    rule = f" ({step.rule})" if step.rule else ""
    words, *also = english.lines(step.told, step.also)
    lines = [f"{step.seq:>6} {at:%H:%M:%S} {words}{rule}", *(f"{'':15} {more}" for more in also)]
    return [escaped(line) for line in lines]


# --- drawing -----------------------------------------------------------------------------------------


def _screen(replay: Replay, console: Console, note: str, latest: deque[str]) -> Group:
    lines: list[Text] = [Text(heading(replay), style="bold"), Text(f"command {replay.at}; {note}", style="dim")]
    picture = _picture(replay, console)
    room = console.size.height - LINES - 4
    if len(picture) > room or any(line.cell_len > console.size.width for line in picture):
        picture = [Text("(the board is too large for this window)", style="dim")]
    sentences = [*latest, *[""] * (LINES - len(latest))]
    return Group(*lines, *picture, Text(escaped(replay.narrator.caption())), *map(Text, sentences))


def _picture(replay: Replay, console: Console) -> list[Text]:
    """Draw the board with row and column numbers. A terminal gets colours; other outputs get the players' names."""
    rows = replay.narrator.picture()
    if not rows:
        return []
    colours = {name: COLOURS[index % len(COLOURS)] for index, name in enumerate(replay.narrator.scores())}
    cells = [[_cell(spot, colours if console.is_terminal else None) for spot in row] for row in rows]
    width = max(len(str(len(rows[0]))), *(text.cell_len for row in cells for text in row))
    margin = len(str(len(rows)))
    head = Text(" " * margin, style="dim")
    for column in range(1, len(rows[0]) + 1):
        head.append(f" {column:>{width}}")
    picture = [head]
    for number, row in enumerate(cells, start=1):
        line = Text(f"{number:>{margin}}", style="dim")
        for text in row:
            line.append(" " * (1 + width - text.cell_len))
            line.append_text(text)
        picture.append(line)
    return picture


def _cell(spot: Spot, colours: dict[str, str] | None) -> Text:
    text = escaped(spot.text)
    if cell_len(text) > WIDEST_CARD:
        text = f"{text[: WIDEST_CARD - 1]}…"
    match spot.look:
        case "down":
            text, style = "-", Style(dim=True)
        case "gone":
            text, style = ".", Style(dim=True)
        case "hole":
            text, style = " ", Style()
        case "cell" if not text:
            text, style = "_", Style(dim=True)
        case "boom":
            text, style = "*", Style(bold=True)
        case "disc" | "ring":
            text, style = text or ("●" if spot.look == "disc" else "○"), Style(bold=True)
        case "flag" | "dug" | "up" | "cell":
            style = Style(bold=True)
    if spot.by is None:
        return Text(text, style=style)
    if colours is None:
        return Text(f"{text}({escaped(spot.by)})" if spot.look == "up" else text)
    return Text(text, style=style + Style(color=colours.get(spot.by), reverse=spot.look == "up"))


def _line(console: Console, line: str | Text) -> None:
    """Print one line of any length. A terminal wraps the line; a file gets the whole line."""
    console.print(escaped(line) if isinstance(line, str) else line, soft_wrap=True, markup=False, highlight=False)
