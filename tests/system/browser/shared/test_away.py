"""Pages without a reachable server, and players who look at another tab.

Testing strategy. Installing: the browser's own report on page and manifest, for the lobby, a room and a single game.
The service worker: its page in place of an unreachable one, in a room and in another language, by the button and by
itself; nothing is stored; the game returns. Calls: the tab's title and icon, a notification with and without the switch
and the permission, one at a time, removed when the page is seen. An insecure address has none of these features, and no
errors. These tests also cover the calls of the other games.
"""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Error, Page, expect

from tests.system.browser.audit import audit
from tests.system.browser.away import come_back, leave
from tests.system.browser.conftest import NewContext, Serve
from tests.system.browser.memory.player import BOARD, Player
from tests.system.browser.rooms.visitor import Visitor

pytestmark = pytest.mark.browser

CONTROLLED = """async () => {
    await navigator.serviceWorker.ready;
    return navigator.serviceWorker.controller !== null;
}"""
# A headless browser never shows notifications. This script records them by tags, like a browser that shows them.
SHOWING = """
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
"""
SHOWN = """async () => {
    const worker = await navigator.serviceWorker.ready;
    return (await worker.getNotifications()).map(({ title, body }) => `${title}: ${body}`);
}"""


UNTIL = """async (wanted) => {
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


def await_worker(page: Page) -> None:
    await_answer(page, CONTROLLED, True)


def await_notifications(page: Page, *wanted: str) -> None:
    await_answer(page, SHOWN, list(wanted))


def memory(serve: Serve, folder: Path, *options: str) -> str:
    file = folder / "board.txt"
    file.write_text(BOARD)
    return serve("memory", *(options or ("--port", "0")), str(file)).url


def test_a_browser_can_install_the_lobby_from_everywhere_and_a_game_on_its_own(
    ordinary_profile: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    page = ordinary_profile.new_page()
    visitor = Visitor(page, serve("serve", "--port", "0", "--in-memory").url)
    visitor.to_lobby()
    names = {visitor.url: "Scramble", visitor.start_board(): "Scramble", memory(serve, tmp_path): "Memory Scramble"}
    devtools = page.context.new_cdp_session(page)
    for url, name in names.items():
        page.goto(url)
        found = devtools.send("Page.getAppManifest")
        manifest = json.loads(found["data"])
        assert (found["errors"], manifest["name"]) == ([], name)
        assert devtools.send("Page.getInstallabilityErrors")["installabilityErrors"] == []
        root = re.match(r"https?://[^/]+/", url)
        assert root is not None
        for path in (manifest["start_url"], manifest["scope"]):
            assert page.evaluate("([path, base]) => new URL(path, base).href", [path, found["url"]]) == root[0]
        sizes = page.evaluate(
            """([icons, base]) => Promise.all(icons.map(async ({ src, sizes, type }) => {
                const answer = await fetch(new URL(src, base));
                const { width, height } = await createImageBitmap(await answer.blob());
                return [`${width}x${height}`, sizes, answer.headers.get("Content-Type"), type];
            }))""",
            [[icon for icon in manifest["icons"] if icon["type"] == "image/png"], found["url"]],
        )
        assert len(sizes) == 3
        for size, promised, kind, promised_kind in sizes:
            assert (size, kind) == (promised, promised_kind)


def test_a_page_says_that_its_server_is_away_and_goes_on_when_it_is_back(
    new_context: NewContext, serve: Serve, tmp_path: Path
) -> None:
    data = ("--data", str(tmp_path / "rooms"))
    server = serve("serve", "--port", "0", *data)
    page = new_context(workers=True).new_page()
    visitor = Visitor(page, server.url)
    visitor.to_lobby()
    room = visitor.start_board()
    await_worker(page)
    server.stop()
    page.goto(room)
    expect(page.get_by_role("heading", name="The server is not there")).to_be_visible()
    audit(page, "the server is away")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("status")).to_have_text("Still no answer.")
    page.evaluate("localStorage.setItem('scramble.language', 'de')")
    page.goto(server.url)
    expect(page.get_by_role("heading", name="Der Server ist nicht da")).to_be_visible()
    page.evaluate("localStorage.setItem('scramble.language', 'en')")
    page.goto(room)
    expect(page.get_by_role("heading", name="The server is not there")).to_be_visible()
    assert page.evaluate("caches.keys()") == []
    with pytest.raises(Error, match="ERR_CONNECTION_REFUSED"):  # an address for programs
        page.context.new_page().goto(f"{room}/look/ann")
    serve("serve", "--port", server.url.rstrip("/").rpartition(":")[2], *data)
    assert visitor.arrive() == room


def test_a_card_that_was_waited_for_calls_its_player_who_looks_elsewhere(
    new_context: NewContext, serve: Serve, tmp_path: Path
) -> None:
    url = memory(serve, tmp_path)
    bob, context = Player(new_context().new_page(), url, "bob"), new_context(workers=True)
    context.add_init_script(SHOWING)
    alice = Player(context.new_page(), url, "alice")
    await_worker(alice.page)
    icon = alice.page.locator("link[rel=icon]")

    bob.flip(0, 0)
    alice.flip(0, 0)
    expect(alice.next).to_contain_text("Waiting for bob")
    leave(alice.page)
    bob.flip(0, 1)  # a different card
    expect(alice.page).to_have_title("● Your card has come – Memory Scramble")
    expect(icon).to_have_attribute("href", "client/memory/icon-sign.svg")
    assert alice.page.request.get(f"{url}client/memory/icon-sign.svg").ok
    await_notifications(alice.page)  # the player has not switched them on
    come_back(alice.page)
    expect(alice.page).to_have_title("Memory Scramble")
    expect(icon).to_have_attribute("href", "client/memory/icon.svg")

    switch = alice.page.get_by_role("checkbox", name="Notify me when something waits for me")
    expect(switch).not_to_be_checked()
    switch.check()
    alice.flip(1, 0)  # a different card
    bob.flip(0, 0)
    alice.flip(0, 0)
    expect(alice.next).to_contain_text("Waiting for bob")
    leave(alice.page)
    bob.flip(0, 2)
    bob.flip(0, 1)  # this takes the pair
    expect(alice.page).to_have_title("● The card you waited for is gone – Memory Scramble")
    await_notifications(alice.page, "Memory Scramble: The card you waited for is gone")
    come_back(alice.page)
    await_notifications(alice.page)
    assert alice.page.evaluate("localStorage.getItem('scramble.notify')") == "on"


def test_a_switch_that_the_browser_refuses_says_so(new_context: NewContext, serve: Serve, tmp_path: Path) -> None:
    page = new_context().new_page()  # a headless browser does not ask the user, and denies the permission
    Player(page, memory(serve, tmp_path), "alice")
    switch = page.get_by_role("checkbox", name="Notify me when something waits for me")
    switch.click()
    expect(page.get_by_text("This browser blocks notifications of this page.")).to_be_visible()
    expect(switch).not_to_be_checked()
    audit(page, "notifications refused")


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
    port = memory(serve, tmp_path, "--host", "0.0.0.0", "--port", "0").rstrip("/").rpartition(":")[2]
    page = new_context(workers=True).new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    alice = Player(page, f"http://{address}:{port}/", "alice")
    assert page.evaluate("[isSecureContext, 'serviceWorker' in navigator]") == [False, False]
    expect(page.get_by_role("checkbox", name="Notify me when something waits for me")).to_have_count(0)
    bob = Player(new_context().new_page(), f"http://{address}:{port}/", "bob")
    bob.flip(0, 0)
    alice.flip(0, 0)
    expect(alice.next).to_contain_text("Waiting for bob")
    leave(page)
    bob.flip(0, 1)
    expect(page).to_have_title("● Your card has come – Memory Scramble")
    assert wrong == []
