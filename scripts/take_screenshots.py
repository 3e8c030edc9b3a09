"""Take the pictures of the demo's pages that README and docs show.

Run: python scripts/take_screenshots.py [FOLDER]   what README and docs show, to docs/images
     python scripts/take_screenshots.py --all FOLDER   both pages whole, wide and narrow, light and
                                                       dark, to look at

Needs chromium and playwright (``pip install "steadycut[test]"``).
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from steadycut.cli.main import run

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
PAGES = {"study": "report.html", "audit": "audit.html"}
WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")
# What README and docs show: page -> picture -> place in the page.
SHOWN = {
    "study": {"report.png": ".headline", "explorer.png": "#explorer"},
    "audit": {"audit.png": ".headline"},
}
# What the explorer was asked.
ASKED = {"#explore-cost-fn-number": "3", "#explore-prevalence-number": "20"}


def take_shown(browser: Any, demo: Path, folder: Path) -> None:  # noqa: ANN401
    """Take the parts of the pages that README and docs show, with every section open."""
    for name, pictures in SHOWN.items():
        page = browser.new_page(viewport={"width": 1040, "height": 800}, color_scheme="light")
        page.goto((demo / PAGES[name]).as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
        for box, value in ASKED.items() if "explorer.png" in pictures else ():
            page.locator(box).fill(value)
        page.locator("h1").click()
        for picture, place in pictures.items():
            page.locator(place).first.screenshot(path=folder / picture)
        page.close()


def take_all(browser: Any, demo: Path, folder: Path) -> None:  # noqa: ANN401
    """Take both pages whole, in every width and colour scheme."""
    for name, page_name in PAGES.items():
        for width in WIDTHS:
            for scheme in SCHEMES:
                page = browser.new_page(
                    viewport={"width": width, "height": 900}, color_scheme=scheme
                )
                page.goto((demo / page_name).as_uri())
                page.screenshot(path=folder / f"{name}-{width}-{scheme}.png", full_page=True)
                page.close()


def main() -> int:
    """Run the demo, open its pages and take the pictures."""
    from playwright.sync_api import sync_playwright

    everything = "--all" in sys.argv
    names = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    folder = Path(names[0]) if names else IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    # Chromium's sandbox refuses root.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as demo, sync_playwright() as playwright:
        if code := run(["demo", "--out", demo]):
            return code
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=arguments
        )
        (take_all if everything else take_shown)(browser, Path(demo), folder)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
