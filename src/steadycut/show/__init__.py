"""One self-contained HTML page for a study, and one for an audit."""

from steadycut.show.html import render_audit, render_study

__all__ = ["render_audit", "render_study"]
