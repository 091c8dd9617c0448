"""TLS: the certificate and the key of a server for HTTPS and wss."""

from __future__ import annotations

import ssl
from pathlib import Path

from scramble.errors import OperatorError


class BadCertificate(OperatorError):
    """An unusable certificate or key; `str(error)` is one line with the reason."""

    code = "bad-certificate"


def server_context(certfile: Path, keyfile: Path | None = None) -> ssl.SSLContext:
    """Return the TLS context of a server: TLS 1.2 and later, HTTP/1.1 only.

    `certfile` has the certificate and its chain in PEM. Without a `keyfile`, `certfile` also has the key. Raises
    BadCertificate.
    """
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION
    context.set_alpn_protocols(["http/1.1"])
    for file in (certfile, keyfile):
        if file is not None:
            _readable(file)
    asked = False

    def password() -> str:
        nonlocal asked
        asked = True
        return ""

    try:
        context.load_cert_chain(certfile, keyfile, password)
    except (ssl.SSLError, ValueError, OSError) as error:
        raise BadCertificate(_reason(certfile, keyfile, error, encrypted=asked)) from None
    return context


def _readable(file: Path) -> None:
    try:
        file.read_bytes()
    except OSError as error:
        raise BadCertificate(f"{file}: {error.strerror}") from None


def _reason(certfile: Path, keyfile: Path | None, error: Exception, *, encrypted: bool) -> str:
    key = keyfile or certfile
    if encrypted:
        return f"{key}: the key is encrypted; use a key without encryption that only this user can read"
    if isinstance(error, ssl.SSLError) and error.reason == "KEY_VALUES_MISMATCH":
        return f"{key}: the key does not belong to the certificate in {certfile}"
    text = certfile.read_bytes()
    if b"-----BEGIN CERTIFICATE-----" not in text:
        return f"{certfile}: expected a certificate in PEM: -----BEGIN CERTIFICATE-----"
    if b"PRIVATE KEY-----" not in key.read_bytes():
        where = "" if keyfile else "; it may be in a separate file, the keyfile"
        return f"{key}: expected a key in PEM: -----BEGIN PRIVATE KEY-----{where}"
    return f"the certificate in {certfile} and the key in {key} cannot be used: {error.args[-1]}"
