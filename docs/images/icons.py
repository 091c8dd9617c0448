"""`python -m docs.images.icons`: makes the icons of installed pages from the pages' own, client/PAGE/icon.svg.

Run it at the top of a checkout, in an environment with the test extras, after a change of an icon. It makes
icon-192.png and icon-512.png, icon-maskable.png, whose ground reaches to the edges and whose picture stays in the
middle, and icon-sign.svg, the icon with the sign that something waits for the player.
"""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from scramble.resources import CLIENT
from tests.system.browser.install import find_chromium

GROUND = "#f6f4ef"  # the manifests' background_color
SAFE = 0.6  # of the width of a maskable icon: launchers cut a circle of 0.8 (W3C Web App Manifest)
SIGN = '  <circle cx="24" cy="8" r="8" fill="#fff"/>\n  <circle cx="24" cy="8" r="6.5" fill="#d3232e"/>\n</svg>'


def draw(page: Page, icon: Path, to: Path, size: int, *, maskable: bool = False) -> None:
    """Draw the icon as a picture of that many pixels."""
    page.set_viewport_size({"width": size, "height": size})
    share = SAFE if maskable else 1
    page.set_content(
        f"<style>body {{ margin: 0; display: grid; place-content: center; height: 100vh;"
        f" background: {GROUND if maskable else 'transparent'} }}"
        f" svg {{ width: {share * 100}vw; height: {share * 100}vw }}</style>{icon.read_text()}"
    )
    page.screenshot(path=to, omit_background=not maskable)


def main() -> None:
    """Make the icons of each page that has a manifest."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        page = browser.new_page()
        for manifest in sorted(CLIENT.glob("*/manifest.webmanifest")):
            folder = manifest.parent
            icon = folder / "icon.svg"
            draw(page, icon, folder / "icon-192.png", 192)
            draw(page, icon, folder / "icon-512.png", 512)
            draw(page, icon, folder / "icon-maskable.png", 512, maskable=True)
            (folder / "icon-sign.svg").write_text(icon.read_text().replace("</svg>", SIGN))
            print(folder.name)
        browser.close()


if __name__ == "__main__":
    main()
