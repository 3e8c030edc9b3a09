"""A client that behaves as a browser of this machine, and what it fills in."""

import html
import re
import time

from starlette.testclient import TestClient

from steadycut.app.guard import Settings
from steadycut.app.jobs import Jobs
from steadycut.app.routes import make_app
from steadycut.cli.app import all_fields

PORT, TOKEN = 8123, "token-of-this-run"
ORIGIN = f"http://127.0.0.1:{PORT}"
COMMANDS = all_fields()
# The columns of tests.cli.commands by position, and few cohorts.
FILLED = {
    "patient": "1",
    "label": "5",
    "site": "0",
    "score": "3",
    "internal": "north",
    "bootstrap": "20",
}


def make_client(folder, *, limit=50, welcome=True):
    """Return a client, and the jobs behind it."""
    jobs = Jobs(folder)
    settings = Settings(host="127.0.0.1", port=PORT, token=TOKEN, limit=limit)
    app = make_app(jobs, COMMANDS, settings)
    client = TestClient(
        app, base_url=ORIGIN, headers={"origin": ORIGIN}, raise_server_exceptions=False
    )
    if welcome:
        client.get(f"/?token={TOKEN}")
    return client, jobs


def upload(client, *paths, to="/fit", **more):
    """Upload tables, and return the answer without following it."""
    files = [("tables", (path.name, path.read_bytes())) for path in paths]
    return client.post(to, files=[*files, *more.items()], follow_redirects=False)


def start(client, answer, **filled):
    """Fill in the form of a new job and start it; return the job's address."""
    place = answer.headers["location"]
    client.post(f"{place}/run", data=filled, follow_redirects=False)
    return place


def wait(client, place):
    """Wait for a job, and return its page."""
    while client.get(f"{place}/status").json()["state"] == "running":
        time.sleep(0.1)
    return client.get(place)


def refused(answer):
    """Return the line with which a page refuses."""
    (found,) = re.findall(
        r'role="alert"[^>]*>(?:<p class="status">refused</p>)?<p>(.*?)</p>', answer.text
    )
    return html.unescape(found)
