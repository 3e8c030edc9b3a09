"""A real browser for the pages: Debian's chromium, driven by Playwright.

``page`` fails the test on any error in the console and on any request that leaves the page: a
report may ask for nothing but itself, an app for nothing but its own server on this machine.
"""

import os
import shutil
from urllib.parse import urlsplit

import pytest

from tests.browser.waiting import PATIENCE

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
INSIDE = {"data", "blob", "about"}
LOCAL = {"127.0.0.1", "localhost"}


@pytest.fixture(scope="module")
def browser():
    """Start a browser for the tests of a file; skip them, with the reason, where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next((found for found in map(shutil.which, BROWSERS) if found), None)
    if path is None:
        pytest.skip("no chromium on this machine; on Debian: apt-get install chromium")
    # Chromium's sandbox refuses root.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=arguments)
        yield started
        started.close()


@pytest.fixture
def page(browser):
    """Open an empty page; afterwards there must have been no error and no request outside."""
    context = browser.new_context(accept_downloads=True)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    faults = []
    page.on("console", lambda said: said.type == "error" and faults.append(said.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: leaves(request) and faults.append(f"asked {request.url}"))
    yield page
    context.close()
    assert faults == []


def leaves(request):
    """Tell whether a request goes anywhere but to the page itself or its server on this machine."""
    url = urlsplit(request.url)
    if url.scheme == "file":
        return not request.is_navigation_request()
    return url.scheme not in INSIDE and url.hostname not in LOCAL
