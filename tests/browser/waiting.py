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


def faults(page, only=()):
    """Look for serious faults of accessibility; ``only`` names rules, none means all."""
    from axe_playwright_python.sync_playwright import Axe

    options = {"resultTypes": ["violations"]} | ({"runOnly": [*only]} if only else {})
    violations = Axe().run(page, options=options).response["violations"]
    serious = [one for one in violations if one["impact"] in {"serious", "critical"}]
    return [(one["id"], one["nodes"][0]["html"]) for one in serious]


def faults_of_colour(page):
    """Look for the faults that depend on the colours: for a page that has no others."""
    return faults(page, only=("color-contrast", "link-in-text-block"))


def check_colours(page):
    """No serious fault in light and dark."""
    page.emulate_media(color_scheme="light")
    wait_until(lambda: faults(page), [])
    page.emulate_media(color_scheme="dark")
    wait_until(lambda: faults_of_colour(page), [])
