"""Data in the HTML of pages: answers to requests that a page would send first. So the page needs no such request.

    answers = await in_time(get_answers)                      # {"rooms/kinds": {...}}, by relative address
    return await answer_with(html, answers or {}, headers)    # client/shared/pagedata.js reads them

An element with JSON has the data. Browsers do not execute it, so the policy against inline scripts allows it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeVar

import msgspec
import trio
from quart import Response

from scramble.errors import CallerError, GameStopped
from scramble.front.web.pages import HEAD_END, answer, packed
from scramble.server.http.errors import NOT_KEPT

A = TypeVar("A")

QUICKLY: Final = 4
"""The level of compression, because each answer is compressed anew."""

ANSWERS_S: Final = 2.0
"""Time limit for the answers, for example while Redis does not answer. A page without an answer sends the request."""


async def in_time(get: Callable[[], Awaitable[A]]) -> A | None:
    """Return the result of `get`; None if the server refuses the request or needs too much time. Waits for `get`."""
    with trio.move_on_after(ANSWERS_S):
        try:
            return await get()
        except (CallerError, GameStopped):
            pass  # the page sends the request, and shows the refusal
    return None


async def answer_with(html: bytes, answers: Mapping[str, object], headers: Mapping[str, str]) -> Response:
    """Answer the current request with a page that contains `answers`.

    The answers are for one client at one moment. So no cache keeps the page, not even for the browser's back button.
    """
    body = with_data(html, "answers", answers)
    return await answer(body, packed(body, QUICKLY), {**headers, **NOT_KEPT})


def with_data(html: bytes, name: str, data: Mapping[str, object]) -> bytes:
    """Return a page with `data` as JSON in an element with the ID `name`."""
    json = msgspec.json.encode(data).replace(b"<", rb"\u003c")  # "</script>" in a name must not end the element
    element = b'    <script type="application/json" id="%s">%s</script>\n' % (name.encode(), json)
    return html.replace(HEAD_END, element + HEAD_END, 1)
