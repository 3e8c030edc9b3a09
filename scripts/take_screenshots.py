"""Take the pictures of pages that README and docs show.

Run: python scripts/take_screenshots.py [FOLDER]   pages of the demo, to docs/images
     python scripts/take_screenshots.py --tutorial RUN   pages of the tutorials, to docs/images;
                                               (python -m benchmarks.studies.tutorial --keep RUN)
     python scripts/take_screenshots.py --app [FOLDER]   the first page of the app
     python scripts/take_screenshots.py --all FOLDER   both pages whole, wide and narrow, light and
                                                       dark, to look at

Needs chromium and playwright (``pip install -e . --group test``).
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from steadycut.cli.main import run

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
PAGES = {"study": "report.html", "audit": "audit.html"}
WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")
# What README and docs show: page -> picture -> place in the page.
Shown = dict[str, dict[str, str]]
DEMO: Shown = {
    "report.html": {"report.png": ".headline", "explorer.png": "#explorer"},
    "audit.html": {"audit.png": ".headline"},
}
TUTORIAL: Shown = {
    "report.html": {"heart_report.png": ".headline", "heart_explorer.png": "#explorer"},
    **{
        f"audit-{hospital}/audit.html": {f"heart_{hospital}.png": ".headline"}
        for hospital in ("hungarian", "switzerland", "va")
    },
}
# What the explorer was asked.
ASKED = {"#explore-cost-fn-number": "3", "#explore-prevalence-number": "20"}


def take_shown(browser: Any, pages: Path, shown: Shown, folder: Path) -> None:  # noqa: ANN401
    """Take the parts of the pages that README and docs show, with every section open.

    The commands for the analyst in the headline stay folded.
    """
    for name, pictures in shown.items():
        page = browser.new_page(viewport={"width": 1040, "height": 800}, color_scheme="light")
        page.goto((pages / name).resolve().as_uri())
        page.evaluate(
            "document.querySelectorAll('details:not(.headline *)').forEach(one => one.open = true)"
        )
        for box, value in ASKED.items() if "#explorer" in pictures.values() else ():
            page.locator(box).fill(value)
        page.locator("h1").click()
        for picture, place in pictures.items():
            page.locator(place).first.screenshot(path=folder / picture)
        page.close()


@contextmanager
def running_app() -> Iterator[str]:
    """Run the app, and yield its address."""
    command = [sys.executable, "-m", "steadycut.cli.main", "app", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdout is not None  # noqa: S101
        yield process.stdout.readline().strip()
        process.terminate()


def take_app(browser: Any, folder: Path) -> None:  # noqa: ANN401
    """Choose a cut-off at one hospital, audit it at the other, and take the first page."""
    page = browser.new_page(viewport={"width": 1040, "height": 660}, color_scheme="light")
    with running_app() as address:
        page.goto(address)
        page.get_by_role("button", name="Try it on two simulated hospitals").click()
        page.get_by_label("A", exact=True).check()
        for button in ("Choose and certify the cut-off", "Audit elsewhere", "Audit the rule"):
            page.get_by_role("button", name=button, exact=True).click()
        page.get_by_role("heading", name="Keep").wait_for()
        page.get_by_role("link", name="steadycut").first.click()
        page.get_by_text("Last audit").wait_for()
        page.screenshot(path=folder / "app.png")
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
    """Open the pages of the demo, or of the tutorials, and take the pictures."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, nargs="?", default=IMAGES)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--app", action="store_true")
    parser.add_argument("--tutorial", type=Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    # Chromium's sandbox refuses root.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as demo, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=arguments
        )
        if options.tutorial:
            take_shown(browser, options.tutorial, TUTORIAL, options.folder)
        elif options.app:
            take_app(browser, options.folder)
        elif code := run(["demo", "--out", demo]):
            return code
        elif options.all:
            take_all(browser, Path(demo), options.folder)
        else:
            take_shown(browser, Path(demo), DEMO, options.folder)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
