"""A certificate for localhost, from a certificate authority of the test."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import NamedTuple

import trustme


class Certificate(NamedTuple):
    """PEM files, and the authority that a client must trust."""

    certfile: Path
    keyfile: Path
    both: Path
    authority: Path
    trusting: ssl.SSLContext


def make_certificate(folder: Path) -> Certificate:
    """Make a certificate for localhost and 127.0.0.1, in files of `folder`."""
    authority = trustme.CA()
    certificate = authority.issue_cert("localhost", "127.0.0.1")
    found = Certificate(
        folder / "cert.pem", folder / "key.pem", folder / "both.pem", folder / "ca.pem", ssl.create_default_context()
    )
    certificate.cert_chain_pems[0].write_to_path(str(found.certfile))
    certificate.private_key_pem.write_to_path(str(found.keyfile))
    certificate.private_key_and_cert_chain_pem.write_to_path(str(found.both))
    authority.cert_pem.write_to_path(str(found.authority))
    authority.configure_trust(found.trusting)
    return found
