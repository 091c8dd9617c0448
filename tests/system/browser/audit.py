"""Checks of every page in every state: axe-core reports nothing, no page scrolls sideways, messages cover no control.

The same checks run with text of twice the size, and on a phone in landscape. There no page scrolls sideways, every word
fits into its button, and the board has most of the window's height.
"""

from __future__ import annotations

import importlib.resources
from typing import Final

from playwright.sync_api import Page, ViewportSize

AXE: Final = importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")

# All rules of WCAG 2.2 A and AA and the best practices, and two rules that axe-core runs only on request.
RUN: Final = """async (rules) => {
    const values = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const { violations } = await axe.run(document, {
        resultTypes: ["violations"],
        runOnly: rules ?? { type: "tag", values },
        rules: rules ? {} : { "label-content-name-mismatch": { enabled: true }, "target-size": { enabled: true } },
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 150)).join(" | ")}`);
}"""

# Wide pages fit the window. Narrow pages scroll down but not sideways. Messages stay within the bar.
MISPLACED: Final = """() => {
    const { scrollWidth, scrollHeight } = document.documentElement;
    const wrong = [];
    if (scrollWidth > innerWidth) wrong.push(`${scrollWidth - innerWidth} px too wide`);
    if (innerWidth >= 1000 && scrollHeight > innerHeight) wrong.push(`${scrollHeight - innerHeight} px too high`);
    for (const toast of document.querySelectorAll(".toast")) {
        const bar = document.querySelector(".bar").getBoundingClientRect();
        const below = toast.getBoundingClientRect().bottom - bar.bottom;
        if (below > 0) wrong.push(`"${toast.dataset.text}" is ${below} px below the bar`);
    }
    return wrong;
}"""


PHONE_PX: Final = 640  # narrower windows count as phones
ON_ITS_SIDE: Final[ViewportSize] = {"width": 844, "height": 390}

# The check with text of 200 %. A phone can zoom out, so innerWidth does not show that its page is too wide.
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
    found: list[str] = [*page.evaluate(MISPLACED), *page.evaluate(RUN, None)]
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    page.emulate_media(color_scheme="light" if dark else "dark")
    found += page.evaluate(RUN, ["color-contrast"])
    page.emulate_media(color_scheme="dark" if dark else "light")
    found += [f"with large text {one}" for one in page.evaluate(SQUEEZED)]
    window = page.viewport_size
    if window is not None and window["width"] < PHONE_PX:
        page.set_viewport_size(ON_ITS_SIDE)
        found += [f"on its side, with large text {one}" for one in page.evaluate(SQUEEZED)]
        page.set_viewport_size(window)
    assert found == [], f"{state}: {found}"
