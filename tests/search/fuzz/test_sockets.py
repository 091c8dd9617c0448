"""Malformed HTTP and WebSocket frames over real sockets, to one real server process.

Partitions: requests and frames; valid, nearly valid, noise; whole, cut short, several at once, in pieces; a client that
half-closes, that resets. Separate tests, by name: faults that fuzzing once found.

Expected: the client receives only whole answers with a status of the reference, and whole frames with a type of the
reference. Afterwards the server has no connection left, serves the next client, and has logged no fault.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.search.fuzz.sockets import KINDS, assert_well, campaign
from tests.support.cutting import connect, hear
from tests.support.figures import report
from tests.support.process import ServerProcess

SEED = 1
COUNTS = dict(zip(KINDS, (600, 200), strict=True))


@contextmanager
def serving(folder: Path) -> Iterator[ServerProcess]:
    board = folder / "board.txt"
    board.write_text("2x2\nA\nB\nA\nB\n")
    with ServerProcess("memory", board, "--port", "0", lines=1) as running:
        yield running


async def test_malformed_requests_and_frames_are_answered_in_order_or_refused(tmp_path: Path) -> None:
    with serving(tmp_path) as running:
        for kind, count in COUNTS.items():
            await campaign(running.address, kind, SEED, count)
            report("fuzz", {f"inputs, {kind}": f"{count:,} from seed {SEED}"})
        await assert_well(running)


async def test_a_target_that_is_no_path_and_a_host_header_that_names_no_host_are_refused_in_words(
    tmp_path: Path,
) -> None:
    refused = [
        *(
            (f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n", b"for example /look/alice\n")
            for target in ("?/a", "x", "http://[x/a")
        ),
        *((f"GET /look/a HTTP/1.1\r\nHost: {host}\r\n\r\n", b"of a host\n") for host in ("a..b", ".", "x" * 64)),
    ]
    with serving(tmp_path) as running:
        for request, reason in refused:
            async with connect(running.address) as stream:
                await stream.send_all(request.encode())
                assert (await hear(stream, reason)).startswith(b"HTTP/1.1 400 ")
        for target in ("/look/a?b", "http://elsewhere/look/a"):
            async with connect(running.address) as stream:
                await stream.send_all(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                assert (await hear(stream, b"2x2\n")).startswith(b"HTTP/1.1 200 ")
        await assert_well(running)
