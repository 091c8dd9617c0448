"""A page, and everything that it says about its connection during a fault of the cluster."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Page, expect

GOES_ON: Final = "One moment: the game goes on at once."
QUIET: Final = {"online": "Connected", "slow": "One moment…", "moving": "One moment…"}
KEEP_ALL: Final = """(line) => {
    window.kept = [];
    window.keeper?.disconnect();
    const look = () => {
        const said = document.querySelector(line)?.textContent;
        const word = document.querySelector("#link .word").textContent;
        const toasts = [...document.querySelectorAll(".toast")].map((toast) => toast.textContent);
        window.kept.push([document.querySelector("#link").dataset.state, word, said, ...toasts]);
    };
    look();
    window.keeper = new MutationObserver(look);
    window.keeper.observe(document.body, {
        attributeFilter: ["data-state"], childList: true, characterData: true, subtree: true,
    });
}"""
HAS_WAITED: Final = """async () => {
    const has = () => window.kept.some(([state]) => state === "slow" || state === "moving");
    for (const end = performance.now() + 60_000; !has() && performance.now() < end; )
        await new Promise((go) => setTimeout(go, 20));
    return has();
}"""


class Watched:
    """A page whose messages are recorded. `line` selects its line with the next step, if it has one."""

    def __init__(self, page: Page, line: str = "#none") -> None:
        self.page: Final = page
        self._line: Final = line
        self._log: list[str] = []
        self._before = ""

    def begin(self) -> None:
        """Record all messages from now on, and forget the earlier ones."""
        expect(self.page.locator("#link")).to_have_attribute("data-state", "online")
        self._log, self._before = self._messages(), self._said()
        self.page.evaluate(KEEP_ALL, self._line)

    def await_moment(self) -> None:
        """Wait for the message "One moment"."""
        assert self.page.evaluate(HAS_WAITED)

    @property
    def said_to_wait(self) -> bool:
        """True if the line has said that the game goes on at once."""
        return any(said == GOES_ON for _, _, said, *_ in self.page.evaluate("window.kept"))

    def expect_one_quiet_line(self) -> None:
        """Check that the page is as before, and that its only message was "One moment"."""
        self.expect_quiet()
        if self._before:
            expect(self.page.locator(self._line)).to_have_text(self._before)
        said = {said for _, _, said, *_ in self.page.evaluate("window.kept")}
        assert said == ({self._before, GOES_ON} if self._before else {None})

    def expect_quiet(self) -> None:
        """Check that the page is connected, and that its bar and its log had no other message than "One moment"."""
        expect(self.page.locator("#link")).to_have_attribute("data-state", "online")
        kept = self.page.evaluate("window.kept")
        assert {(state, word) for state, word, *_ in kept} <= QUIET.items()
        assert [toasts for _, _, _, *toasts in kept if toasts] == []
        assert self._messages() == self._log

    def _said(self) -> str:
        return "".join(self.page.locator(self._line).all_text_contents())

    def _messages(self) -> list[str]:
        return self.page.locator("#log > li").all_text_contents()
