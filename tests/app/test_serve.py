"""The server as a process: where it listens, what it prints, and that nothing stays."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from steadycut.app import serve
from steadycut.app.guard import Settings
from steadycut.app.serve import announce, listening
from steadycut.errors import BadOption
from tests.app.client import FILLED

APP = [sys.executable, "-m", "steadycut.cli.main", "app", "--no-browser"]


@pytest.fixture
def place(tmp_path):
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


@pytest.fixture
def server(place):
    """A running app whose temporary folder is ``place``, and its address."""
    environment = {**os.environ, "TMPDIR": str(place)}
    process = subprocess.Popen(APP, stdout=subprocess.PIPE, text=True, env=environment)
    yield process, process.stdout.readline().strip()
    process.kill()
    process.wait()
    process.stdout.close()


def settings(host):
    return Settings(host=host, port=1, token="t", limit=1)  # noqa: S106


@contextmanager
def browser(address):
    parts = urlsplit(address)
    origin = f"{parts.scheme}://{parts.netloc}"
    headers = {"origin": origin}
    with httpx2.Client(base_url=origin, headers=headers, timeout=60, trust_env=False) as client:
        client.get(f"/?{parts.query}")
        yield client


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_nothing_stays_when_the_app_is_closed_at_work(server, place, table, end):
    process, address = server
    with browser(address) as client:
        answer = client.post("/fit", files={"tables": (table.name, table.read_bytes())})
        job = answer.headers["location"]
        client.post(f"{job}/run", data={**FILLED, "bootstrap": "1000000"})
        assert client.get(f"{job}/status").json()["state"] == "running"
    (work,) = place.iterdir()
    assert work.stat().st_mode & 0o077 == 0
    process.send_signal(end)
    assert process.wait(60) == 0
    assert list(place.iterdir()) == []


def test_the_address_is_on_loopback_and_needs_its_token(server):
    _, address = server
    parts = urlsplit(address)
    assert parts.hostname == "127.0.0.1"
    with httpx2.Client(trust_env=False) as client:
        assert client.get(f"http://{parts.netloc}/").status_code == 403
    with browser(address) as client:
        assert client.get("/").status_code == 200


def test_another_host_is_warned_about(capsys, tmp_path):
    announce(settings("0.0.0.0"), tmp_path)  # noqa: S104
    streams = capsys.readouterr()
    assert streams.err.startswith("steadycut: warning: --host 0.0.0.0 lets other machines")
    assert streams.out.startswith("http://127.0.0.1:1/?token=t\n")


def test_loopback_is_not_warned_about(capsys, tmp_path):
    announce(settings("127.0.0.1"), tmp_path)
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc")
def test_no_token_is_on_any_command_line_and_the_one_for_the_browser_works_once(place):
    """The browser is a script that stays; all users can read its command line."""
    script, noted = place.parent / "browser", place.parent / "noted"
    script.write_text(f'#!/bin/sh\necho "$1" > {noted}.new; mv {noted}.new {noted}; exec sleep 5\n')
    script.chmod(0o755)
    environment = {**os.environ, "TMPDIR": str(place), "BROWSER": f"{script} %s"}
    with subprocess.Popen(APP[:-1], stdout=subprocess.PIPE, text=True, env=environment) as app:
        try:
            printed = app.stdout.readline().strip()
            while not noted.exists():
                time.sleep(0.01)
            file = Path(urlsplit(noted.read_text().strip()).path)
            assert file.stat().st_mode & 0o077 == file.parent.stat().st_mode & 0o077 == 0
            (address,) = re.findall(r"url=(\S+)\"", file.read_text())
            tokens = [urlsplit(one).query.partition("=")[2] for one in (address, printed)]
            lines = b"".join(path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline"))
            assert not any(token.encode() in lines for token in tokens)
            for one in (address, printed):
                with browser(one) as first, browser(one) as second:
                    assert [client.get("/").status_code for client in (first, second)] == [200, 403]
        finally:
            app.terminate()


def test_a_port_that_is_taken_is_refused():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(BadOption, match=r"port \d+: .*Choose another --port"):
            listening("127.0.0.1", port).__enter__()


def test_a_host_that_does_not_exist_is_refused():
    with pytest.raises(BadOption, match=r"cannot listen on no-such-host\.invalid"):
        listening("no-such-host.invalid", 0).__enter__()


def test_a_connection_without_whole_headers_is_closed(monkeypatch):
    """Beginnings of requests, also after a whole one, and nothing at all."""
    monkeypatch.setattr(serve, "PATIENCE", 0.3)

    async def answer(_scope, _receive, send):
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    with listening("127.0.0.1", 0) as listener:
        server = serve._server(answer)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        whole = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
        for begun in (b"", b"GET / HT", whole[:-2], whole + whole[:-2]):
            with socket.create_connection(listener.getsockname(), timeout=10) as client:
                client.sendall(begun)
                said = b""
                while part := client.recv(1000):
                    said += part
                assert said.count(b"204") == begun.count(whole)
        server.should_exit = True
        thread.join()
