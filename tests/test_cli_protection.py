"""The options about who may do what, and how much: as click takes them, and on real processes of all three games.

Partitions:
- each limit: its default, another value, one that is none
- errors of use (exit 2): what is no origin, a key without a certificate, limits out of range
- errors of the world (exit 1): each kind of bad certificate or key
- processes, each game: HTTPS, an origin, sizes, the pace; switches and watches of Memory Scramble; telnet by address
"""

from __future__ import annotations

import json
import re
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import httpx
import pytest
import trio
from click.testing import CliRunner, Result

from scramble.cli import main
from scramble.front.limits import Limits
from scramble.limit_options import LIMITS
from scramble.serving import Serving
from scramble.serving_options import serving_options
from tests.front.asking import UPGRADE, rest, status, words
from tests.front.certificates import Certificate, make_certificate

ROOT = Path(__file__).parent.parent
HANG_S = 60  # to end a test that hangs, not to judge a slow one

GAMES = {
    "memory": ("memory", "--port", "0"),
    "minesweeper": ("minesweeper", "--port", "0", "--http-port", "0"),
    "crossword": ("crossword", "--port", "0", "--telnet-port", "0"),
}


@pytest.fixture(name="certificate", scope="module")
def _certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("tls"))


# --- what click takes ---


def taken(*arguments: str) -> Serving:
    """What a command with the shared options gets."""
    found: list[Serving] = []

    @click.command()
    @serving_options
    def command(serving: Serving) -> None:
        found.append(serving)

    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.output
    return found[0]


def test_without_options_the_limits_are_the_usual_ones() -> None:
    assert taken().limits == Limits()


@pytest.mark.parametrize("name", [limit.name for limit in LIMITS])
def test_each_limit_is_an_option_of_its_own(name: str) -> None:
    (field,) = [limit.field for limit in LIMITS if limit.name == name]
    limits = taken(name, "777").limits
    changed = {key for key in Limits.__struct_fields__ if getattr(limits, key) != getattr(Limits(), key)}
    assert changed == {field}
    assert getattr(limits, field) == 777


def test_origins_may_be_several_and_are_kept_as_browsers_write_them() -> None:
    serving = taken("--origin", "https://Play.example.org/", "--origin", "http://localhost:8080")
    assert serving.origin == ("https://play.example.org", "http://localhost:8080")


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--origin", "example.org"), "'example.org' is not an origin such as https://play.example.org"),
        (("--keyfile", "key.pem"), "--keyfile is of no use without --certfile"),
        (("--max-connections", "0"), "0 is not in the range x>=1"),
        (("--requests-per-s", "0"), "'0' is not a number of requests above 0"),
        (("--request-timeout", "never"), "'never' is not a number of seconds above 0"),
        (("--max-header-bytes", "1"), "1 is not in the range"),
    ],
)
def test_an_error_of_use_is_told_in_one_line(game: str, arguments: tuple[str, ...], reason: str) -> None:
    result = invoke(*GAMES[game], *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert reason in line


@pytest.mark.parametrize("game", GAMES)
def test_a_certificate_that_cannot_be_used_is_told_in_one_line(
    game: str, certificate: Certificate, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.pem"
    bad.write_text("hello\n")
    for certfile, keyfile, reason in (
        (tmp_path / "none.pem", certificate.keyfile, "none.pem: No such file or directory"),
        (certificate.certfile, tmp_path / "none.pem", "none.pem: No such file or directory"),
        (bad, certificate.keyfile, "bad.pem: expected a certificate in PEM"),
        (certificate.certfile, bad, "bad.pem: expected a key in PEM"),
    ):
        result = invoke(*GAMES[game], "--certfile", str(certfile), "--keyfile", str(keyfile))
        assert (result.exit_code, result.stdout) == (1, "")
        (line,) = result.stderr.splitlines()
        assert reason in line


# --- processes ---


@contextmanager
def process(game: str, *arguments: str) -> Iterator[str]:
    """What a running server has announced; it is gone at the end."""
    command = [sys.executable, "-m", "scramble.cli", *GAMES[game], *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        try:
            lines = [running.stdout.readline() for _ in range(1 if game == "memory" else 2)]
            yield "".join(lines)
        finally:
            running.kill()


def page_of(announced: str) -> str:
    match = re.search(r"https?://\S+/", announced)
    assert match is not None, announced
    return match[0]


def exchange(announced: str, tls: ssl.SSLContext, request: str) -> str:
    """What the server's page answers to these bytes on a connection of its own."""
    port = int(page_of(announced).split(":")[2].strip("/"))

    async def main() -> str:
        with trio.fail_after(HANG_S):
            stream = trio.SSLStream(await trio.open_tcp_stream("127.0.0.1", port), tls, server_hostname="localhost")
            async with stream:
                await stream.send_all(request.encode())
                return await rest(stream)

    return trio.run(main)


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_served_over_https_and_holds_to_origins_and_sizes(game: str, certificate: Certificate) -> None:
    files = ("--certfile", str(certificate.certfile), "--keyfile", str(certificate.keyfile))
    limits = ("--max-header-bytes", "500", "--max-body-bytes", "10", "--max-frame-bytes", "64")
    with process(game, *files, *limits, "--origin", "https://play.example.org") as announced:
        url = page_of(announced)
        assert url.startswith("https://127.0.0.1:")
        with httpx.Client(verify=certificate.trusting, base_url=url) as client:
            page = client.get("/")
            assert page.status_code == 200
            assert page.headers["x-content-type-options"] == "nosniff"
            assert "frame-ancestors" in page.headers["content-security-policy"]
            assert "strict-transport-security" not in page.headers  # which would bind every port of the host
            missing = client.get("/nothing")
            assert missing.status_code == 404
            assert missing.headers["x-content-type-options"] == "nosniff"
            assert missing.headers["content-type"] == "text/plain; charset=utf-8"
            assert client.post("/", content=b"x" * 11).status_code == 413
            assert client.get("/", headers={"X": "x" * 500}).status_code == 431
        path = "/play" if game == "crossword" else "/play/alice"
        answer = exchange(
            announced,
            certificate.trusting,
            f"GET {path} HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n{UPGRADE}\r\n",
        )
        assert status(answer) == 403
        assert words(answer).startswith("pages from https://evil.example may not play here")


@pytest.mark.parametrize("game", GAMES)
def test_every_game_holds_to_a_pace_and_to_it_by_address_behind_a_proxy(game: str) -> None:
    options = ("--requests-per-s", "0.001", "--requests-at-once", "1", "--behind-proxy")
    with process(game, *options) as announced, httpx.Client(base_url=page_of(announced)) as client:
        for host, expected in (("192.0.2.1", 200), ("192.0.2.2", 200), ("192.0.2.1", 429)):
            assert client.get("/", headers={"X-Forwarded-For": host}).status_code == expected


@pytest.mark.parametrize("game", ["minesweeper", "crossword"])
def test_telnet_holds_to_the_limits_as_well(game: str) -> None:
    with process(game, "--max-connections-by-address", "1") as announced:
        match = re.search(r"telnet \S+ (\d+)", announced)
        assert match is not None
        port = int(match[1])

        async def main() -> str:
            with trio.fail_after(HANG_S):
                async with await trio.open_tcp_stream("127.0.0.1", port) as one:
                    assert await one.receive_some()
                    async with await trio.open_tcp_stream("127.0.0.1", port) as two:
                        return await rest(two)

        assert trio.run(main) == "Sorry, there are as many connections from your address as this server takes.\r\n"


def test_memory_scramble_is_served_without_what_is_switched_off() -> None:
    with (
        process("memory", "--no-replace", "--no-new") as announced,
        httpx.Client(base_url=page_of(announced)) as client,
    ):
        assert client.get("/replace/alice/A/B").status_code == 403
        assert client.post("/new/alice").status_code == 403
        assert client.get("/look/alice").status_code == 200


def test_the_settings_of_an_application_of_ones_own_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    script = """
import json, trio, httpx
from functools import partial
from scramble.app import create_app
from scramble.front.guard import Protection
from scramble.front.server import serve_app

async def main():
    async with trio.open_nursery() as nursery:
        address = await nursery.start(partial(serve_app, create_app(), host="127.0.0.1", port=0))
        async with httpx.AsyncClient(base_url=address.url) as client:
            mine = {"X-Forwarded-For": "192.0.2.1"}
            answers = [
                await client.get("/replace/a/A/B", headers={"X-Forwarded-For": "192.0.2.2"}),
                await client.post("/new/a", headers=mine),
                await client.post("/new/a", headers=mine),
                await client.post("/new/a", content=b"x" * 11, headers={"X-Forwarded-For": "192.0.2.3"}),
            ]
            print(json.dumps([answer.status_code for answer in answers]))
        nursery.cancel_scope.cancel()

trio.run(main)
"""
    for name, value in {
        "NO_REPLACE": "1",
        "NO_NEW": "yes",
        "BEHIND_PROXY": "1",
        "REQUESTS_PER_S": "0.001",
        "REQUESTS_AT_ONCE": "1",
        "MAX_BODY_BYTES": "10",
    }.items():
        monkeypatch.setenv(f"SCRAMBLE_{name}", value)
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=HANG_S)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [403, 403, 429, 413]
