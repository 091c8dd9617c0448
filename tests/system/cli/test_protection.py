"""The options for permissions and limits: as click parses them, and on real processes of all three games.

Partitions:
- each limit: its default, another value, an invalid one
- errors of use (exit 2): an invalid origin, a key without a certificate, limits out of range
- errors of the world (exit 1): each kind of bad certificate or key
- processes, each game: HTTPS, an origin, sizes, the rate; switches and watches of Memory Scramble; telnet by address
"""

from __future__ import annotations

import json
import ssl
import subprocess
import sys
from pathlib import Path

import click
import httpx
import pytest
import trio
from click.testing import CliRunner, Result

from scramble.cli.config import OPTIONS, ServerConfig, config_of
from scramble.cli.limit_options import LIMITS
from scramble.cli.main import main
from scramble.server.protection.limits import ServerLimits
from tests.support import HANG_S, PROGRAM_S
from tests.support.asking import UPGRADE, rest, status, words
from tests.support.certificates import Certificate, make_certificate
from tests.support.process import ROOT, ServerProcess

GAMES = {
    "memory": ("memory", "--port", "0"),
    "minesweeper": ("minesweeper", "--port", "0", "--http-port", "0"),
    "crossword": ("crossword", "--port", "0", "--telnet-port", "0"),
}


@pytest.fixture(name="certificate", scope="module")
def _certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("tls"))


# --- click's parsing ---


def taken(*arguments: str) -> ServerConfig:
    """The configuration of a command with the shared options."""
    context = click.Command("serve", params=list(OPTIONS)).make_context("serve", list(arguments))
    return config_of(context.params)


def test_without_options_the_limits_are_the_usual_ones() -> None:
    assert taken().protection.limits == ServerLimits()


@pytest.mark.parametrize("name", [limit.name for limit in LIMITS])
def test_each_limit_is_an_option_of_its_own(name: str) -> None:
    (field,) = [limit.field for limit in LIMITS if limit.name == name]
    limits = taken(name, "77777").protection.limits
    changed = {key for key in ServerLimits.__struct_fields__ if getattr(limits, key) != getattr(ServerLimits(), key)}
    assert changed == {field}
    assert getattr(limits, field) == 77777


def test_origins_may_be_several_and_are_kept_as_browsers_write_them() -> None:
    config = taken("--origin", "https://Play.example.org/", "--origin", "http://localhost:8080")
    assert config.protection.origins == ("https://play.example.org", "http://localhost:8080")


def test_host_names_may_be_several_and_are_kept_as_browsers_write_them() -> None:
    config = taken("--host-name", "Play.example.org.", "--host-name", "game", "--origin", "https://other.example")
    assert config.protection.host_names == ("play.example.org", "game")
    hosts = config.protection.hosts()
    assert all(map(hosts.knows, ("play.example.org", "game:8080", "other.example")))
    assert not hosts.knows("evil.example")


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--origin", "example.org"), "'example.org' is not an origin such as https://play.example.org"),
        (("--host-name", "https://example.org"), "'https://example.org' is not a host name such as play.example.org"),
        (("--keyfile", "key.pem"), "--keyfile needs --certfile"),
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


def serving(game: str, *arguments: str) -> ServerProcess:
    """A server that has announced all its addresses."""
    return ServerProcess(*GAMES[game], *arguments, lines=1 if game == "memory" else 2)


def exchange(port: int, tls: ssl.SSLContext, request: str) -> str:
    """Send a request on a new connection over TLS, and return the whole answer."""

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
    with serving(game, *files, *limits, "--origin", "https://play.example.org") as server:
        url = server.url
        assert url.startswith("https://127.0.0.1:")
        with httpx.Client(verify=certificate.trusting, base_url=url) as client:
            page = client.get("/")
            assert page.status_code == 200
            assert page.headers["x-content-type-options"] == "nosniff"
            assert "frame-ancestors" in page.headers["content-security-policy"]
            assert "strict-transport-security" not in page.headers  # the header would affect every port of the host
            missing = client.get("/nothing")
            assert missing.status_code == 404
            assert missing.headers["x-content-type-options"] == "nosniff"
            assert missing.headers["content-type"] == "text/plain; charset=utf-8"
            assert client.post("/", content=b"x" * 11).status_code == 413
            assert client.get("/", headers={"X": "x" * 500}).status_code == 431
        path = "/play" if game == "crossword" else "/play/alice"
        answer = exchange(
            server.port,
            certificate.trusting,
            f"GET {path} HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n{UPGRADE}\r\n",
        )
        assert status(answer) == 403
        assert words(answer).startswith("pages from https://evil.example may not play here")


@pytest.mark.parametrize("game", GAMES)
def test_every_game_holds_to_a_pace_and_to_it_by_address_behind_a_proxy(game: str) -> None:
    options = ("--requests-per-s", "0.001", "--requests-at-once", "1", "--behind-proxy")
    with serving(game, *options) as server, httpx.Client(base_url=server.url) as client:
        for host, expected in (("192.0.2.1", 200), ("192.0.2.2", 200), ("192.0.2.1", 429)):
            assert client.get("/", headers={"X-Forwarded-For": host}).status_code == expected


@pytest.mark.parametrize("game", ["minesweeper", "crossword"])
def test_telnet_holds_to_the_limits_as_well(game: str) -> None:
    with serving(game, "--max-connections-by-address", "1") as server:
        port = server.telnet_port

        async def main() -> str:
            with trio.fail_after(HANG_S):
                async with await trio.open_tcp_stream("127.0.0.1", port) as one:
                    assert await one.receive_some()
                    async with await trio.open_tcp_stream("127.0.0.1", port) as two:
                        return await rest(two)

        assert trio.run(main) == "Sorry, this server takes no more connections from your address.\r\n"


def test_memory_scramble_is_served_without_what_is_switched_off() -> None:
    with (
        serving("memory", "--no-replace", "--no-new") as server,
        httpx.Client(base_url=server.url) as client,
    ):
        assert client.get("/replace/alice/A/B").status_code == 403
        assert client.post("/new/alice").status_code == 403
        assert client.get("/look/alice").status_code == 200


def test_the_settings_of_an_application_of_ones_own_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    script = """
import json, trio, httpx
from functools import partial
from scramble.app import create_app
from scramble.server.protection.middleware import Protection
from scramble.server.http.server import serve_app

named = Protection(host_names=("play.example.org",))

async def main():
    async with trio.open_nursery() as nursery:
        address = await nursery.start(partial(serve_app, create_app(), host="127.0.0.1", port=0, protection=named))
        async with httpx.AsyncClient(base_url=address.url) as client:
            mine = {"X-Forwarded-For": "192.0.2.1"}
            answers = [
                await client.get("/replace/a/A/B", headers={"X-Forwarded-For": "192.0.2.2"}),
                await client.post("/new/a", headers=mine),
                await client.post("/new/a", headers=mine),
                await client.post("/new/a", content=b"x" * 11, headers={"X-Forwarded-For": "192.0.2.3"}),
                await client.get("/metrics", headers={"X-Forwarded-For": "192.0.2.4", "Host": "evil.example"}),
                await client.get("/metrics", headers={"X-Forwarded-For": "192.0.2.5", "Host": "play.example.org"}),
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
        "HOST_NAME": "game play.example.org",
    }.items():
        monkeypatch.setenv(f"SCRAMBLE_{name}", value)
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=PROGRAM_S)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [403, 403, 429, 413, 421, 200]
