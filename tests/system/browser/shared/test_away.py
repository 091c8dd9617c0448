"""Pages without a reachable server, and players who look at another tab.

Testing strategy. One browser with a profile, as only that can install apps: the browser's own report on page and
manifest, for a single game and the lobby, whose manifest a room has, too; then the service worker's page, which
replaces an unreachable page, in a room and in another language; its button; the automatic return to the game; nothing
is stored. Calls: the tab's title and icon, a notification with and without the switch and the permission, one at a
time, removed when the page is seen. An insecure address has no service worker and no switch; the title still changes,
without errors. The other players of these tests are programs. The tests of the other games and of rooms check their
calls.
"""

from __future__ import annotations

import json
import re
import socket
import urllib.request
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import BrowserContext, Error, Page, expect

from tests.support import HANG_S
from tests.system.browser.audit import audit
from tests.system.browser.away import come_back, leave
from tests.system.browser.conftest import NewContext, Serve
from tests.system.browser.memory.player import BOARD, Player
from tests.system.browser.rooms.visitor import Visitor

pytestmark = pytest.mark.browser

CONTROLLED: Final = """async () => {
    await navigator.serviceWorker.ready;
    return navigator.serviceWorker.controller !== null;
}"""
# A headless browser never shows notifications. This script records them by tags, like a browser that shows them.
SHOWING: Final = """() => {
    const shown = new Map();
    Object.defineProperty(Notification, "permission", { get: () => (window.asked ? "granted" : "default") });
    Notification.requestPermission = async () => {
        window.asked = true;
        return "granted";
    };
    ServiceWorkerRegistration.prototype.showNotification = async (title, options) => {
        shown.set(options.tag, { title, ...options, close: () => shown.delete(options.tag) });
    };
    ServiceWorkerRegistration.prototype.getNotifications = async ({ tag } = {}) =>
        [...shown.values()].filter((one) => tag === undefined || one.tag === tag);
}"""
SHOWN: Final = """async () => {
    const worker = await navigator.serviceWorker.ready;
    return (await worker.getNotifications()).map(({ title, body }) => `${title}: ${body}`);
}"""

# The real and the declared sizes and types of a manifest's icons.
SIZES: Final = """([icons, base]) => Promise.all(icons.map(async ({ src, sizes, type }) => {
    const answer = await fetch(new URL(src, base));
    const { width, height } = await createImageBitmap(await answer.blob());
    return [`${width}x${height}`, sizes, answer.headers.get("Content-Type"), type];
}))"""

UNTIL: Final = """async (wanted) => {
    let seen = null;
    for (const end = performance.now() + 30_000; performance.now() < end; ) {
        seen = await (LOOK)();
        if (JSON.stringify(seen) === JSON.stringify(wanted)) break;
        await new Promise((go) => setTimeout(go, 50));
    }
    return seen;
}"""


def await_answer(page: Page, look: str, wanted: object) -> None:
    """Query the page repeatedly until it gives the wanted answer, or time out."""
    assert page.evaluate(UNTIL.replace("LOOK", look), wanted) == wanted


def serve_memory(serve: Serve, folder: Path, host: str = "127.0.0.1") -> str:
    file = folder / "board.txt"
    file.write_text(BOARD)
    return serve("memory", "--host", host, "--port", "0", str(file)).url


def flip_as_bob(url: str, row: int, column: int) -> None:
    """Flip a card in the name of bob, who has no page."""
    with urllib.request.urlopen(f"{url}flip/bob/{row},{column}", timeout=HANG_S) as answer:
        assert answer.status == 200


def test_a_page_that_can_be_installed_says_that_its_server_is_away_and_goes_on_when_it_is_back(
    ordinary_profile: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    data = ("--data", str(tmp_path / "rooms"))
    server, page = serve("serve", "--port", "0", *data), ordinary_profile.new_page()
    page.goto(serve_memory(serve, tmp_path))
    assert app_of(page) == "Memory Scramble"
    visitor = Visitor(page, server.url)
    visitor.to_lobby()
    assert app_of(page) == "Scramble"
    manifest = page.locator("link[rel=manifest]").evaluate("link => link.href")
    room = visitor.start_board()
    assert page.locator("link[rel=manifest]").evaluate("link => link.href") == manifest

    await_answer(page, CONTROLLED, True)
    server.kill()
    page.goto(room)
    expect(page.get_by_role("heading", name="The server is not there")).to_be_visible()
    audit(page, "the server is away")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("status")).to_have_text("Still no answer.")
    page.evaluate("localStorage.setItem('scramble.language', 'de')")
    page.goto(server.url)
    expect(page.get_by_role("heading", name="Der Server ist nicht da")).to_be_visible()
    assert page.evaluate("caches.keys()") == []
    with pytest.raises(Error, match="ERR_CONNECTION_REFUSED"):  # an address for programs
        page.context.new_page().goto(f"{room}/look/ann")
    page.goto(room)
    expect(page.get_by_role("heading", name="Der Server ist nicht da")).to_be_visible()
    serve("serve", "--port", str(server.port), *data)
    assert visitor.arrive() == room


def app_of(page: Page) -> object:
    """Return the name of the app that the browser can install from this page, with the addresses and icons it needs."""
    devtools = page.context.new_cdp_session(page)
    found = devtools.send("Page.getAppManifest")
    manifest = json.loads(found["data"])
    assert found["errors"] == []
    assert devtools.send("Page.getInstallabilityErrors")["installabilityErrors"] == []
    root = re.match(r"https?://[^/]+/", page.url)
    assert root is not None
    for path in (manifest["start_url"], manifest["scope"]):
        assert page.evaluate("([path, base]) => new URL(path, base).href", [path, found["url"]]) == root[0]
    icons = [icon for icon in manifest["icons"] if icon["type"] == "image/png"]
    sizes = page.evaluate(SIZES, [icons, found["url"]])
    assert len(sizes) == 3
    for size, promised, kind, promised_kind in sizes:
        assert (size, kind) == (promised, promised_kind)
    return manifest["name"]


def test_a_card_that_was_waited_for_calls_its_player_who_looks_elsewhere(
    new_context: NewContext, serve: Serve, tmp_path: Path
) -> None:
    url = serve_memory(serve, tmp_path)
    alice = Player(new_context(workers=True).new_page(), url, "alice")
    switch = alice.page.get_by_role("checkbox", name="Notify me when something waits for me")
    switch.click()  # a headless browser does not ask the user, and denies the permission
    expect(alice.page.get_by_text("This browser blocks notifications of this page.")).to_be_visible()
    expect(switch).not_to_be_checked()
    audit(alice.page, "notifications refused")
    alice.page.evaluate(SHOWING)
    await_answer(alice.page, CONTROLLED, True)
    icon = alice.page.locator("link[rel=icon]")

    flip_as_bob(url, 0, 0)
    alice.flip(0, 0)
    expect(alice.next).to_contain_text("Waiting for bob")
    leave(alice.page)
    flip_as_bob(url, 0, 1)  # a different card
    expect(alice.page).to_have_title("● Your card has come – Memory Scramble")
    expect(icon).to_have_attribute("href", "client/memory/icon-sign.svg")
    assert alice.page.request.get(f"{url}client/memory/icon-sign.svg").ok
    await_answer(alice.page, SHOWN, [])  # the player has not switched them on
    come_back(alice.page)
    expect(alice.page).to_have_title("Memory Scramble")
    expect(icon).to_have_attribute("href", "client/memory/icon.svg")

    switch.check()
    alice.flip(1, 0)  # a different card
    flip_as_bob(url, 0, 0)
    alice.flip(0, 0)
    expect(alice.next).to_contain_text("Waiting for bob")
    leave(alice.page)
    flip_as_bob(url, 0, 2)
    flip_as_bob(url, 0, 1)  # this takes the pair
    expect(alice.page).to_have_title("● The card you waited for is gone – Memory Scramble")
    await_answer(alice.page, SHOWN, ["Memory Scramble: The card you waited for is gone"])
    come_back(alice.page)
    await_answer(alice.page, SHOWN, [])
    assert alice.page.evaluate("localStorage.getItem('scramble.notify')") == "on"


def address_of_this_machine() -> str | None:
    """An address at which other machines reach this machine; None without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # this sends no packet
        except OSError:
            return None
        address: str = probe.getsockname()[0]
    return None if address.startswith(("127.", "0.")) else address


def test_where_an_address_is_not_secure_there_is_none_of_it_and_nothing_goes_wrong(
    new_context: NewContext, serve: Serve, tmp_path: Path
) -> None:
    address = address_of_this_machine()
    if address is None:
        pytest.skip("this machine has no address but that of itself")
    port = serve_memory(serve, tmp_path, "0.0.0.0").rstrip("/").rpartition(":")[2]
    url, page = f"http://{address}:{port}/", new_context().new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    alice = Player(page, url, "alice")
    assert page.evaluate("[isSecureContext, 'serviceWorker' in navigator]") == [False, False]
    expect(page.get_by_role("checkbox", name="Notify me when something waits for me")).to_have_count(0)
    flip_as_bob(url, 0, 0)
    alice.flip(0, 0)
    expect(alice.next).to_contain_text("Waiting for bob")
    leave(page)
    flip_as_bob(url, 0, 1)
    expect(page).to_have_title("● Your card has come – Memory Scramble")
    assert wrong == []
