"""Looking at a page that may not have answered yet: no test of a page looks without waiting."""

import time

# How long an answer of a page may take on a busy machine: seconds, and milliseconds for Playwright.
SECONDS = 120
PATIENCE = 1000 * SECONDS


def wait_until(look, wanted):
    """Look until what is seen is as wanted (a value, or a function that says so), and return it."""
    from playwright.sync_api import Error

    accepts = wanted if callable(wanted) else lambda seen: seen == wanted
    end = time.monotonic() + SECONDS
    while True:
        try:
            seen = look()
        except Error as error:
            # The page was replaced by the next one while it was looked at.
            seen = error
        if not isinstance(seen, Error) and accepts(seen):
            return seen
        if time.monotonic() > end:
            expected = getattr(wanted, "__doc__", None) if callable(wanted) else wanted
            message = f"after {SECONDS} s the page shows {seen!r}, not {expected!r}"
            raise AssertionError(message)
        time.sleep(0.05)


def follow(page, pressed, key=None):
    """Click on a link or a button, or press a key on it, and wait until the next page has loaded.

    A page has answered only when its script has run: before that nobody listens to its fields.
    """
    with page.expect_navigation(wait_until="load"):
        if key is None:
            pressed.click()
        else:
            pressed.press(key)


def faults(page):
    """Look for serious faults of accessibility."""
    from axe_playwright_python.sync_playwright import Axe

    violations = Axe().run(page).response["violations"]
    serious = [one for one in violations if one["impact"] in {"serious", "critical"}]
    return [(one["id"], one["nodes"][0]["html"]) for one in serious]
