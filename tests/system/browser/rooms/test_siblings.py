"""Pages of the same site as a server, in a real Chromium over plain HTTP. Their requests carry the server's cookies.

Browsers send `Sec-Fetch-Site` only to HTTPS and to localhost, so the tests use another host name over HTTP.

Partitions: a page on another port of the same host, on another host of the same domain. It sends by a script without a
preflight request, by a script with a preflight request, by a form. The server's own page, which may send.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from playwright.sync_api import Browser, Playwright, expect

from tests.system.browser.conftest import Contexts, NewContext, Serve, chromium
from tests.system.browser.rooms.visitor import Visitor

HOST = "play.site.test"
SIBLING = "blog.site.test"

ATTACK = """async (room) => {
  const told = [];
  const send = async (path, options) => {
    try {
      const answer = await fetch(new URL(path, room), { credentials: "include", ...options });
      told.push(answer.type === "opaque" ? "sent" : answer.status);
    } catch {
      told.push("not sent");
    }
  };
  const post = { method: "POST", mode: "no-cors" };
  const title = JSON.stringify({ title: "Mine now" });
  await send(`${room}/rename`, { ...post, body: title });
  await send(`${room}/rename`, { ...post, body: new Blob([title]) });
  await send(`${room}/close`, post);
  await send(`${room}/close`, { ...post, body: "{}" });
  await send(`${room}/rename`, { method: "POST", headers: { "Content-Type": "application/json" }, body: title });
  await send(`/rooms/${room.split("/").pop()}`, { method: "DELETE" });
  return told;
}"""

FORM = """(room) => {
  document.body.innerHTML = `<form method="post" enctype="text/plain"><input></form>`;
  const form = document.forms[0];
  form.action = `${room}/rename`;
  form.elements[0].name = '{"title": "';
  form.elements[0].value = 'Mine now"}';
  form.submit();
}"""


class Page(BaseHTTPRequestHandler):
    """An empty page."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>elsewhere</title><body>")

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """A Chromium with two names of one site for this machine."""
    with chromium(playwright, f"--host-resolver-rules=MAP {HOST} 127.0.0.1, MAP {SIBLING} 127.0.0.1") as browser:
        yield browser


@pytest.fixture(scope="module")
def kept_contexts(browser: Browser) -> Contexts:
    """The contexts of this Chromium."""
    return Contexts(browser)


@pytest.fixture
def port_elsewhere() -> Iterator[int]:
    """The port of another server on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def test_pages_of_the_same_site_neither_rename_nor_close_the_hosts_room(
    serve: Serve, new_context: NewContext, port_elsewhere: int
) -> None:
    server = serve("serve", "--port", "0", "--in-memory", "--host-name", HOST)
    url = server.url.replace("127.0.0.1", HOST)
    context = new_context()
    host = Visitor(context.new_page(), url)
    host.to_lobby()
    room = host.start_board()
    assert room.startswith(url)
    name = room.rpartition("/")[2]

    def record() -> dict[str, object]:
        return dict(json.loads(httpx.get(f"{server.url}rooms/{name}").text))

    before = record()
    page = context.new_page()
    for elsewhere in (HOST, SIBLING):
        page.goto(f"http://{elsewhere}:{port_elsewhere}/")
        told = page.evaluate(ATTACK, room)
        assert told == ["sent"] * 4 + ["not sent"] * 2
        with page.expect_navigation() as navigation:
            page.evaluate(FORM, room)
        assert (navigation.value.url, navigation.value.status) == (f"{room}/rename", 403)
        assert (record()["title"], record()["state"]) == (before["title"], "open")

    own = """(room) => fetch(`${room}/rename`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ title: "Friday" }),
    }).then((answer) => answer.status)"""
    assert host.page.evaluate(own, room) == 204
    assert record()["title"] == "Friday"
    expect(host.page).to_have_title("Friday")
