"""Pages as HTML: one file each, complete in itself."""

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from steadycut.io.packages import optional_package
from steadycut.show.pages.page import Page
from steadycut.show.svg.picture import draw_page
from steadycut.show.words.story import Step


def render_page(page: Page, *, printed: bool = False) -> str:
    """Fill the template; every text is escaped, and only our own drawings and script are not.

    ``printed`` leaves out what paper cannot do: the script and what needs it, and dark colours.
    """
    script = resources.files("steadycut.show").joinpath("templates/script.js").read_text("utf-8")
    template = environment().get_template("page.html")
    return template.render(
        page=page,
        drawings=draw_page(page),
        printed=printed,
        script=script,
        script_hash=policy_hash(script),
    )


def render_story(steps: Sequence[Step], lines: Sequence[str], folder: str) -> str:
    """Return the page of the demo, which links the pages of all its steps."""
    template, parts = environment().get_template("story.html"), zip(steps, lines, strict=True)
    return template.render(parts=parts, folder=folder)


@cache
def environment(package: str = "steadycut.show") -> Any:
    """Return the templates of a package, compiled once; every text that they take is escaped."""
    with optional_package("a report", "jinja2", "report"):
        import jinja2
    return jinja2.Environment(
        loader=jinja2.PackageLoader(package),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render_card(page: Page) -> str:
    """Return the headline of a page as a piece of HTML that can stand in a notebook."""
    return environment().get_template("card.html").render(page=page, printed=True)


def policy_hash(script: str) -> str:
    """Return the hash by which a page allows this script, and no other, to run."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"
