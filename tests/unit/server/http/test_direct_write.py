"""Frames for direct writes: another implementation of WebSockets reads them.

Partitions: the length of the text in bytes: 0; the longest and the shortest of each form of the header.
tests/system/http/test_direct_write.py writes frames to real sockets.
"""

from __future__ import annotations

import pytest
from wsproto.connection import Connection, ConnectionType
from wsproto.events import TextMessage

from scramble.server.http.direct_write import text_frame


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536, 70_000])
def test_a_frame_of_any_length_is_read_as_its_text(size: int) -> None:
    text = ("é" * (size // 2)).rjust(size - size // 2, "x")
    client = Connection(ConnectionType.CLIENT)
    client.receive_data(text_frame(text))
    parts = list(client.events())
    messages = [part for part in parts if isinstance(part, TextMessage)]
    assert messages == parts
    assert messages[-1].message_finished
    assert "".join(message.data for message in messages) == text
    assert len(text.encode()) == size
