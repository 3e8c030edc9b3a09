"""Fill templates to make HTML; every text is escaped."""

from importlib import resources
from typing import Any

from starlette.responses import HTMLResponse, Response

from steadycut.show.render.html import environment
from steadycut.show.words.fields import in_words, rule_in_words

STYLES = ("steadycut.show", "templates/style.css"), ("steadycut.app", "static/app.css")
SCRIPT = ("steadycut.app", "static/app.js")


def page(name: str, status: int = 200, **content: Any) -> HTMLResponse:
    """Return a filled template."""
    return HTMLResponse(_templates().get_template(f"{name}.html").render(**content), status)


def refusal(status: int, line: str) -> HTMLResponse:
    """Return a page with one line of text."""
    return page("refusal", status, line=line)


def style() -> Response:
    """Return the style of the reports, and some more rules."""
    return Response("\n".join(_text(*place) for place in STYLES), media_type="text/css")


def script() -> Response:
    """Return the script of all pages."""
    return Response(_text(*SCRIPT), media_type="text/javascript")


def _text(package: str, path: str) -> str:
    return resources.files(package).joinpath(path).read_text("utf-8")


def _templates() -> Any:
    made = environment("steadycut.app")
    made.filters |= {"words": in_words, "rule_words": rule_in_words}
    return made
