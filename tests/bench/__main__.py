"""All figures in one table: `python -m tests.bench`. Arguments select groups of figures by name.

No test depends on the figures. Uses only the loopback interface. Takes some minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.table import Table

from scramble.kernel.checks import CHECK_REP
from tests.bench import (
    broadcast,
    cluster,
    clusterrooms,
    fanout,
    journal,
    kernel,
    loading,
    memory,
    minesweeper,
    rooms,
    schedules,
    web,
)
from tests.bench.figure import Figure

GROUPS: dict[str, Callable[[], Iterator[Figure]]] = {
    "flips": kernel.flips,
    "replies": kernel.replies,
    "grants": kernel.grants,
    "looks": kernel.looks,
    "idle": kernel.idle,
    "schedules": schedules.schedules,
    "web": web.web,
    "fanout": fanout.fan_out,
    "broadcast": broadcast.broadcast,
    "minesweeper": minesweeper.minesweeper,
    "journal": journal.journal,
    "rooms": rooms.rooms,
    "memory": memory.memory,
    "loading": loading.loading,
    "cluster": cluster.cluster,
    "clusterrooms": clusterrooms.cluster_rooms,
}


def main(names: list[str]) -> None:
    """Measure the groups with these names, or all groups, and print the table."""
    assert not CHECK_REP, "switch the representation checks off: they would be measured, too"
    table = Table(title="Each figure is a ratio to a bare limit that was measured in the same run", show_lines=True)
    for title in ("figure", "measured", "limit", "ratio", "aim", ""):
        table.add_column(title, justify="right" if title == "ratio" else "left")
    console = Console()
    for name in names or GROUPS:
        with console.status(name):
            for figure in GROUPS[name]():
                verdict = {None: "", True: "met", False: "missed"}[figure.met]
                table.add_row(figure.name, figure.measured, figure.limit, f"{figure.ratio:.3g}", figure.aim, verdict)
    console.print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
