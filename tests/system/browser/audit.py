"""Checks of every page in every state: axe-core reports nothing, and the layout has no faults.

The layout has faults if the page scrolls sideways, if a message covers a part that the player needs, if the empty area
for messages or, on a desktop, a message covers a button of the bar, or, with text of twice the size too, if a word does
not fit into its button. On a phone in landscape the board has most of the window's height. The layout of a page on a
phone is checked again in landscape, and in the window of a desktop. So a state needs an audit on a desktop only for
axe-core's rules.
"""

from __future__ import annotations

import importlib.resources
from typing import Final

from playwright.sync_api import Page, ViewportSize

AXE: Final = importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")

# All rules of WCAG 2.2 A and AA and the best practices, and two rules that axe-core runs only on request. A modal
# dialog makes the rest of the page inert, so only the dialog is checked.
RUN: Final = """async (rules) => {
    const values = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const { violations } = await axe.run(document.querySelector("dialog:modal") ?? document, {
        resultTypes: ["violations"],
        runOnly: rules ?? { type: "tag", values },
        rules: rules ? {} : { "label-content-name-mismatch": { enabled: true }, "target-size": { enabled: true } },
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 150)).join(" | ")}`);
}"""

# Wide pages fit the window. Narrow pages scroll down but not sideways. A message covers at most the bar, and its
# controls only on a phone, where the bar has no free space. On a high phone the crossword has a line for messages.
MISPLACED: Final = """() => {
    const { scrollWidth, scrollHeight } = document.documentElement;
    const wrong = [];
    if (scrollWidth > innerWidth) wrong.push(`${scrollWidth - innerWidth} px too wide`);
    if (innerWidth >= 1000 && scrollHeight > innerHeight) wrong.push(`${scrollHeight - innerHeight} px too high`);
    for (const toast of document.querySelectorAll(".toast")) {
        const { top, bottom, height } = toast.getBoundingClientRect();
        if (height === 0) continue;
        const bar = document.querySelector(".bar").getBoundingClientRect();
        if (bottom > bar.bottom && top < bar.bottom) wrong.push(`"${toast.dataset.text}" leaves the bar`);
        for (const part of document.querySelectorAll(".next, .frame, .duel, .result, .cluebar, .keys, .clues, .more")) {
            const box = part.getBoundingClientRect();
            if (top >= bar.bottom && box.height > 0 && box.top < bottom && top < box.bottom)
                wrong.push(`"${toast.dataset.text}" covers ${part.className}`);
        }
    }
    for (const button of document.querySelectorAll(".bar :is(a, button):not(.toast-close)")) {
        const { x, y, width, height } = button.getBoundingClientRect();
        const covers = innerWidth >= 1000 ? ".toasts, .toasts *" : ".toasts";
        const points = [x + 1, x + width / 2, x + width - 1];
        if (points.some((at) => document.elementFromPoint(at, y + height / 2)?.matches(covers)))
            wrong.push(`messages cover ${button.outerHTML.slice(0, 80)}`);
    }
    return wrong;
}"""


PHONE_PX: Final = 640  # narrower windows count as phones
OTHER_WINDOWS: Final[dict[str, ViewportSize]] = {
    "on its side": {"width": 844, "height": 390},
    "on a desktop": {"width": 1280, "height": 800},
}

# The check with text of 200 %. A phone can zoom out, so innerWidth does not show that the page is too wide.
SQUEEZED: Final = """async () => {
    const root = document.documentElement;
    const scrolled = scrollY;
    const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const wrong = [];
    const measureBoard = (size) => {
        const room = document.querySelector(".stage-room");
        if (innerHeight >= 500 || innerWidth >= 1000 || !room?.checkVisibility()) return;
        const { height } = room.getBoundingClientRect();
        if (height < 0.75 * innerHeight) wrong.push(`at ${size} ${height} px for the board`);
    };
    await frames();
    measureBoard("100 %");
    root.style.fontSize = "200%";
    await frames();
    const say = (element, words) =>
        wrong.push(`${element.outerHTML.slice(0, 80)} "${element.textContent.trim().slice(0, 20)}" ${words}`);
    const { clientWidth, scrollWidth } = root;
    const isShown = (element) => element.checkVisibility({ visibilityProperty: true });
    const parts = [...document.querySelectorAll("button, .button, label, .chip, .card, h1, h2, h3")].filter(isShown);
    if (scrollWidth > clientWidth) {
        wrong.push(`${scrollWidth - clientWidth} px too wide`);
        for (const part of [...parts, ...document.querySelectorAll("p, li, td, th, code")].filter(isShown))
            if (part.getBoundingClientRect().right > clientWidth + 1) say(part, "is outside");
    }
    for (const part of parts) {
        const { overflowX, display, clipPath } = getComputedStyle(part);
        const spills = part.scrollWidth > part.clientWidth + 1 && overflowX === "visible";
        if (spills && display !== "inline" && clipPath === "none") say(part, "does not fit");
        const isHigh = part.matches("button, .button") && part.scrollHeight > part.clientHeight + 1;
        if (isHigh && display !== "inline" && clipPath === "none") say(part, "is not high enough");
    }
    measureBoard("200 %");
    root.style.fontSize = "";
    await frames();
    scrollTo(0, scrolled);
    return wrong;
}"""


def audit(page: Page, state: str) -> None:
    """Check the current page in its current theme, and its colours in the other theme."""
    page.emulate_media(reduced_motion="reduce")
    if not page.evaluate("'axe' in window"):
        page.evaluate(f"() => {{ {AXE} }}")
    found: list[str] = page.evaluate(RUN, None)
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    page.emulate_media(color_scheme="light" if dark else "dark")
    found += page.evaluate(RUN, ["color-contrast"])
    page.emulate_media(color_scheme="dark" if dark else "light")
    found += layout_faults(page)
    window = page.viewport_size
    if window is not None and window["width"] < PHONE_PX:
        for name, size in OTHER_WINDOWS.items():
            page.set_viewport_size(size)
            found += [f"{name} {one}" for one in layout_faults(page)]
        page.set_viewport_size(window)
    assert found == [], f"{state}: {found}"


def layout_faults(page: Page) -> list[str]:
    """The faults of the layout in the current window, with text of the usual size and of twice the size."""
    return [*(f"with large text {one}" for one in page.evaluate(SQUEEZED)), *page.evaluate(MISPLACED)]
