"""HTTPS and wss over real sockets, with a certificate made by the test.

Partitions:
- the files: certificate and key apart, together; missing, a directory, empty, not PEM, a certificate without key, a key
  without certificate, the key of another certificate, encrypted
- over TLS: a request, several on a connection, a refusal, a WebSocket; the scope of the application
- versions: 1.3, 1.2, older; HTTP/2 is offered by the client
- handshakes: never begun, half done, not TLS at all; the client does not trust the certificate; other connections work
  meanwhile
- connections: closed by the client without a TLS alert; too many; idle; a request too slow; an answer not read
"""

from __future__ import annotations

import ssl
from pathlib import Path

import httpx
import pytest
import trio
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from scramble.server.http.tls import BadCertificate, server_context
from scramble.server.listening import SecureAddress
from scramble.server.protection.limits import ServerLimits
from tests.support import HANG_S
from tests.support.asking import UPGRADE, Asked, asked, rest, status, until, words
from tests.support.certificates import Certificate, make_certificate

GET = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


async def refused(server: Asked, request: str) -> str:
    """Send a request, read a refusal of one line, and close the connection first: the server would wait for that."""
    async with await server.connect() as stream:
        await stream.send_all(request.encode())
        answer = await until(stream, b"\r\n\r\n")
        return answer + await until(stream, b"\n") if answer.endswith("\r\n\r\n") else answer


@pytest.fixture(name="certificate", scope="module")
def _certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture(name="tls", scope="module")
def _tls(certificate: Certificate) -> ssl.SSLContext:
    return server_context(certificate.certfile, certificate.keyfile)


# --- files ---


@pytest.mark.parametrize("together", [False, True])
async def test_a_certificate_and_its_key_may_be_in_two_files_or_in_one(
    certificate: Certificate, together: bool
) -> None:
    files = (certificate.both,) if together else (certificate.certfile, certificate.keyfile)
    async with asked(tls=server_context(*files), client_tls=certificate.trusting) as server:
        assert status(await server.ask()) == 200


def test_a_file_that_is_not_there_is_named(certificate: Certificate, tmp_path: Path) -> None:
    for files in ((tmp_path / "none.pem", certificate.keyfile), (certificate.certfile, tmp_path / "none.pem")):
        with pytest.raises(BadCertificate, match=r"none\.pem: No such file or directory$"):
            server_context(*files)


def test_what_is_no_file_is_named(certificate: Certificate, tmp_path: Path) -> None:
    with pytest.raises(BadCertificate, match=f"^{tmp_path}: Is a directory$"):
        server_context(tmp_path, certificate.keyfile)


@pytest.mark.parametrize("content", [b"", b"hello\n", b"\xff\xfe\x00", b"-----BEGIN CERTIFICATE-----\nhello\n"])
def test_what_is_no_certificate_is_told_in_a_line(certificate: Certificate, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "bad.pem"
    file.write_bytes(content)
    for files in ((file, certificate.keyfile), (certificate.certfile, file)):
        with pytest.raises(BadCertificate, match=r"bad\.pem") as raised:
            server_context(*files)
        assert "\n" not in str(raised.value)


def test_a_certificate_without_a_key_is_told_so(certificate: Certificate) -> None:
    with pytest.raises(BadCertificate, match=r"cert\.pem: expected a key in PEM: .*; it may be in a separate file"):
        server_context(certificate.certfile)


def test_a_key_without_a_certificate_is_told_so(certificate: Certificate) -> None:
    with pytest.raises(BadCertificate, match=r"key\.pem: expected a certificate in PEM"):
        server_context(certificate.keyfile)


def test_the_key_of_another_certificate_is_told_so(certificate: Certificate, tmp_path: Path) -> None:
    other = make_certificate(tmp_path)
    with pytest.raises(BadCertificate, match=r"key\.pem: the key does not belong to the certificate in .*cert\.pem"):
        server_context(certificate.certfile, other.keyfile)


def test_an_encrypted_key_is_told_so_and_nobody_is_asked_for_a_password(
    certificate: Certificate, tmp_path: Path
) -> None:
    key = load_pem_private_key(certificate.keyfile.read_bytes(), None)
    encrypted = tmp_path / "key.pem"
    encrypted.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")))
    with pytest.raises(BadCertificate, match=r"key\.pem: the key is encrypted"):
        server_context(certificate.certfile, encrypted)


# --- over TLS ---


async def test_the_address_of_a_server_with_a_certificate_says_https(
    tls: ssl.SSLContext, certificate: Certificate
) -> None:
    async with asked(tls=tls) as server:
        assert isinstance(server.address, SecureAddress)
        assert server.address.url == f"https://127.0.0.1:{server.address.port}/"
        async with httpx.AsyncClient(verify=certificate.trusting) as client:
            assert (await client.get(server.address.url)).text == "127.0.0.1 https 0"


async def test_several_requests_share_a_connection_and_the_last_one_closes_it(
    tls: ssl.SSLContext, certificate: Certificate
) -> None:
    async with asked(tls=tls, client_tls=certificate.trusting) as server:
        answers = await server.exchange(GET + GET + GET.replace("localhost\r\n", "localhost\r\nConnection: close\r\n"))
        assert answers.count(" https 0") == 3


async def test_a_websocket_over_tls_is_told_so(tls: ssl.SSLContext, certificate: Certificate) -> None:
    async with asked(tls=tls, client_tls=certificate.trusting) as server:
        assert status(await server.upgrade()) == 101


async def test_a_refusal_is_read_to_its_end_though_the_client_is_still_sending(
    tls: ssl.SSLContext, certificate: Certificate
) -> None:
    async with asked(ServerLimits(body_bytes=10), tls=tls, client_tls=certificate.trusting) as server:
        request = f"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n{100_000 * 'x'}"
        answer = await refused(server, request)
        assert status(answer) == 413
        assert words(answer).startswith("the request's body is too long")


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_current_versions_of_tls_are_spoken_and_http_1_on_them(
    tls: ssl.SSLContext, certificate: Certificate, version: ssl.TLSVersion
) -> None:
    client = ssl.create_default_context(cafile=str(certificate.authority))
    client.minimum_version = client.maximum_version = version
    client.set_alpn_protocols(["h2", "http/1.1"])
    async with asked(tls=tls, client_tls=client) as server, await server.connect() as stream:
        assert isinstance(stream, trio.SSLStream)
        await stream.do_handshake()
        assert stream.version() == version.name.replace("_", ".")
        assert stream.selected_alpn_protocol() == "http/1.1"


# --- failed handshakes ---

UNFINISHED = (b"", b"\x16\x03\x01", GET.encode(), b"\x00" * 100)


async def test_clients_that_do_not_finish_their_handshakes_are_closed_and_others_go_on(
    tls: ssl.SSLContext, certificate: Certificate
) -> None:
    # A second is enough for the good handshake on a busy machine. All bad handshakes run out of time together.
    async with asked(ServerLimits(request_s=1), tls=tls, client_tls=certificate.trusting) as server:
        streams = [await trio.open_tcp_stream(*server.address) for _ in UNFINISHED]
        for stream, sent in zip(streams, UNFINISHED, strict=True):
            await stream.send_all(sent)
        assert status(await server.ask()) == 200
        for stream in streams:
            await rest_of_bytes(stream)
            await stream.aclose()


async def test_a_client_that_does_not_trust_the_certificate_is_forgotten(
    tls: ssl.SSLContext, certificate: Certificate
) -> None:
    async with asked(tls=tls, client_tls=ssl.create_default_context()) as server:
        stream = await server.connect()
        assert isinstance(stream, trio.SSLStream)
        with pytest.raises(trio.BrokenResourceError):
            await stream.do_handshake()
        await trio.aclose_forcefully(stream)


async def rest_of_bytes(stream: trio.SocketStream) -> None:
    """Read until the server closes. A TLS alert may come first."""
    try:
        async for _ in stream:
            pass
    except trio.BrokenResourceError:
        pass


# --- connections ---


async def test_a_client_that_goes_without_a_word_of_tls_costs_nothing(
    tls: ssl.SSLContext, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scramble.server.http.connection.LEFT_OVER_S", 0.1)
    async with asked(tls=tls, client_tls=certificate.trusting) as server:
        stream = await server.connect()
        await stream.send_all(f"GET / HTTP/1.1\r\nHost: localhost\r\n{UPGRADE}\r\n".encode())
        await until(stream, b"\r\n\r\n")
        await trio.aclose_forcefully(stream)
        while server.traffic.open["websocket"]:  # noqa: ASYNC110
            await trio.sleep(0.02)  # the server notices it soon
        assert status(await server.ask()) == 200


async def test_a_connection_beyond_the_limit_is_told_so_over_tls(tls: ssl.SSLContext, certificate: Certificate) -> None:
    limits = ServerLimits(connections=1)
    async with asked(limits, tls=tls, client_tls=certificate.trusting) as server, await server.connect() as stream:
        await stream.send_all(GET.encode())
        await until(stream, b" https 0")
        answer = await refused(server, GET)
        assert status(answer) == 503
        assert words(answer) == "this server takes no more connections"


async def test_headers_that_take_too_long_are_refused_over_tls(tls: ssl.SSLContext, certificate: Certificate) -> None:
    limits = ServerLimits(request_s=0.3, keep_alive_s=HANG_S)
    async with asked(limits, tls=tls, client_tls=certificate.trusting) as server:
        answer = await refused(server, GET[:-2])
        assert status(answer) == 408
        assert words(answer) == "the request took too long to come"


async def test_an_idle_connection_is_closed_over_tls(tls: ssl.SSLContext, certificate: Certificate) -> None:
    limits = ServerLimits(keep_alive_s=0.05)
    async with asked(limits, tls=tls, client_tls=certificate.trusting) as server, await server.connect() as stream:
        await stream.send_all(GET.encode())
        assert (await rest(stream)).endswith(" https 0")
