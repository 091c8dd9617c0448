"""Direct writes to the sockets of WebSockets, for frames to many connections: encoded only once for all connections.

    outlet = socket.outlet                      # of a `server.asgi.Socket`
    data = text_frame(text)                     # once
    if outlet is None or not outlet.write(data):
        await socket.send(text)                 # the ordinary way

In the ordinary way a frame passes through the wrappers of the application, hypercorn's `WSStream`, wsproto, hypercorn's
`H11Protocol` and `connection`: five calls that encode the same bytes again for every connection. An outlet writes
directly from the handler to the socket. It writes only if the ordinary way would write the same bytes at the same
moment:

- The WebSocket is open. `websocket` opens the outlet after it has sent the handshake, and closes the outlet before it
  makes a closing frame, and when the client has disconnected. `connection` closes the outlet before it closes the
  connection.
- No other send is in progress on the connection: `busy` is False.
- The kernel takes at least a part of the bytes. The connection sends the rest before all other data.

Otherwise the outlet writes nothing, and its result says so. The ordinary way then waits, keeps the limits, and handles
errors.

Connections over TLS have no outlet, because their bytes must be encrypted for each connection. Other servers, and
systems where sockets are not files, have no outlets, either.

Safe under concurrency: a write is one step between two awaits.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Final

SOCKETS_ARE_FILES: Final = os.name == "posix"  # on other systems a file may have the same number as a socket

OUTLET: Final = "scramble.outlet"  # the key of an outlet in the state of a WebSocket; `http1` sets it

_TEXT: Final = 0x81  # a complete text message in one frame (RFC 6455, 5.2)
_LONGEST_SHORT: Final = 125  # bytes; up to this length, the second byte of a frame is the length
_TWO_BYTES: Final = 126  # as the second byte: the length follows in two bytes
_EIGHT_BYTES: Final = 127  # as the second byte: the length follows in eight bytes


class Outlet:
    """Direct access to the socket of one WebSocket. Mutable: the connection opens and closes it."""

    # AF: the socket with the descriptor _fileno() (-1: closed). _open: frames may be written. `busy`: another send is
    #     in progress. After a partial write, _send_rest lets the connection send the rest.
    # RI: if _open and not `busy`, only complete frames have been written to the socket since the handshake.

    __slots__ = ("_fileno", "_open", "_send_rest", "busy")

    def __init__(self, fileno: Callable[[], int], send_rest: Callable[[memoryview], None]) -> None:
        """`send_rest` does not wait; when it returns, the outlet is busy."""
        self._fileno: Final = fileno
        self._send_rest = send_rest
        self._open = False
        self.busy = False

    def open(self) -> None:
        """Allow frames."""
        self._open = True

    def close(self) -> None:
        """Forbid frames permanently. Drop the reference to the connection: it would form a cycle."""
        self._open = False
        self._send_rest = _nothing

    def write(self, frames: bytes) -> bool:
        """Send complete frames and return True, or send nothing and return False. Does not wait.

        Sends nothing if another send is in progress, the client does not read, or the WebSocket is not open.
        """
        return not write_to_all((self,), frames)

    def __str__(self) -> str:
        return f"outlet, {'busy' if self.busy else 'open' if self._open else 'closed'}"


def closed_outlet() -> Outlet:
    """Return an outlet that writes nothing, for a connection without an outlet."""
    return Outlet(_no_file, _nothing)


def _no_file() -> int:
    return -1


def _nothing(_: memoryview) -> None:
    pass


def write_to_all(outlets: Iterable[Outlet], frames: bytes) -> list[Outlet]:
    """Write complete frames to each outlet, and return the outlets that wrote nothing. Does not wait."""
    left: list[Outlet] = []
    size = len(frames)
    if not size:
        return left
    write = os.write  # costs half as much as `socket.send`
    for outlet in outlets:
        if outlet._open and not outlet.busy:
            try:
                sent = write(outlet._fileno(), frames)
            except OSError:  # full, or disconnected
                pass
            else:
                if sent < size:
                    outlet._send_rest(memoryview(frames)[sent:])  # no copy: many connections may share the bytes
                continue
        left.append(outlet)
    return left


def text_frame(text: str) -> bytes:
    """Return the server's frame for a text: header and payload (RFC 6455, 5.2)."""
    payload = text.encode()
    size = len(payload)
    if size <= _LONGEST_SHORT:
        return bytes((_TEXT, size)) + payload
    if size < 1 << 16:
        return bytes((_TEXT, _TWO_BYTES)) + size.to_bytes(2, "big") + payload
    return bytes((_TEXT, _EIGHT_BYTES)) + size.to_bytes(8, "big") + payload
