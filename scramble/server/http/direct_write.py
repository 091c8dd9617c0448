"""A short way to the socket of a WebSocket, for frames that many connections are sent: bytes, encoded once for all.

    outlet = socket.outlet                      # of a `server.asgi.Socket`
    data = text_frame(text)                     # once
    if outlet is None or not outlet.write(data):
        await socket.send(text)                 # the ordinary way

The ordinary way of a frame is the wrappers of the application, hypercorn's `WSStream`, wsproto, hypercorn's
`H11Protocol` and `connection`: five calls that make the same bytes for every connection again. An outlet leads from the
handler to the socket, past all of these. It writes only where the ordinary way would write the same bytes at the same
moment:

- the WebSocket is open: `frames` opens the outlet when the handshake has been sent, and closes it before it makes a
  closing frame, and when the client has disconnected; `connection` closes it before it closes the connection;
- no other send is under way on the connection, which says so by `busy`;
- the kernel takes at least a part of it. The connection sends the rest before anything else.

In any other case it writes nothing and says so, and the ordinary way waits, keeps the limits, and handles errors.

There is no outlet over TLS, where the bytes have to be encrypted for each connection, none under another server than
ours, and none on a system on which sockets are not files.

Safe under concurrency: a write is one step between two awaits.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Final

SOCKETS_ARE_FILES: Final = os.name == "posix"  # elsewhere the number of a socket may be that of another file

OUTLET: Final = "scramble.outlet"  # the key of an outlet in the state of a WebSocket; `protocol` puts it there

_TEXT: Final = 0x81  # a whole text message in one frame (RFC 6455, 5.2)
_LONGEST_SHORT: Final = 125  # bytes, whose number fits into the second byte of a frame
_TWO_BYTES: Final = 126  # instead of the number: it follows in two bytes
_EIGHT_BYTES: Final = 127


class Outlet:
    """A short way to the socket of one WebSocket. Mutable: the connection opens and closes it."""

    # AF: the socket whose descriptor is _fileno() (-1: it is closed), for frames if _open; `busy`: something is being
    #     sent over it. _send_rest has the connection send the rest of frames, of which a part has been written.
    # RI: if _open and not `busy`, whole frames, and nothing else, have been written to the socket since the handshake.

    __slots__ = ("_fileno", "_open", "_send_rest", "busy")

    def __init__(self, fileno: Callable[[], int], send_rest: Callable[[memoryview], None]) -> None:
        """`send_rest` does not wait; when it returns the connection is busy."""
        self._fileno: Final = fileno
        self._send_rest = send_rest
        self._open = False
        self.busy = False

    def open(self) -> None:
        """Allow frames."""
        self._open = True

    def close(self) -> None:
        """Allow no more frames, for good. Lets go of the connection, which refers to this object."""
        self._open = False
        self._send_rest = _nothing

    def write(self, frames: bytes) -> bool:
        """Send whole frames, all of them or none. Does not wait.

        False if none was sent: something else is being sent, the client does not read, or the WebSocket is not open.
        """
        return not write_to_all((self,), frames)

    def __str__(self) -> str:
        return f"outlet, {'busy' if self.busy else 'open' if self._open else 'closed'}"


def closed_outlet() -> Outlet:
    """Return an outlet that takes nothing, for a connection that has none."""
    return Outlet(_no_file, _nothing)


def _no_file() -> int:
    return -1


def _nothing(_: memoryview) -> None:
    pass


def write_to_all(outlets: Iterable[Outlet], frames: bytes) -> list[Outlet]:
    """Write whole frames to each outlet, and return those to which nothing was written. Does not wait."""
    left: list[Outlet] = []
    size = len(frames)
    if not size:
        return left
    write = os.write  # half of what `socket.send` costs
    for outlet in outlets:
        if outlet._open and not outlet.busy:
            try:
                sent = write(outlet._fileno(), frames)
            except OSError:  # full, or disconnected
                pass
            else:
                if sent < size:
                    outlet._send_rest(memoryview(frames)[sent:])  # no copy: many may be sent the same
                continue
        left.append(outlet)
    return left


def text_frame(text: str) -> bytes:
    """Return the frame of a text as a server sends it: header and payload (RFC 6455, 5.2)."""
    payload = text.encode()
    size = len(payload)
    if size <= _LONGEST_SHORT:
        return bytes((_TEXT, size)) + payload
    if size < 1 << 16:
        return bytes((_TEXT, _TWO_BYTES)) + size.to_bytes(2, "big") + payload
    return bytes((_TEXT, _EIGHT_BYTES)) + size.to_bytes(8, "big") + payload
