"""A service manager like systemd for a unit with `Type=notify`: a socket that receives the service's notifications.

with ServiceManager(tmp_path) as manager, ServerProcess("serve", environment=manager.environment):
    assert manager.hear() == "READY=1"
"""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Self

from tests.support import PROGRAM_S

MOST_BYTES: Final = 4096  # the limit of a state


class ServiceManager:
    """A manager with a socket in a folder; with None it has an abstract socket without a file."""

    def __init__(self, folder: Path | None) -> None:
        self._socket: Final = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.settimeout(PROGRAM_S)
        name = f"scramble-{secrets.token_hex(8)}"
        self._socket.bind(f"\0{name}" if folder is None else str(folder / name))
        self._address: Final = f"@{name}" if folder is None else str(folder / name)

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment of the service."""
        return {**os.environ, "NOTIFY_SOCKET": self._address}

    def hear(self) -> str:
        """Return the next notified state. Blocks until there is one."""
        return self._socket.recv(MOST_BYTES).decode()

    def heard(self) -> list[str]:
        """Return all unread notified states."""
        self._socket.setblocking(False)
        states = []
        try:
            while True:
                states.append(self._socket.recv(MOST_BYTES).decode())
        except BlockingIOError:
            return states
        finally:
            self._socket.settimeout(PROGRAM_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
