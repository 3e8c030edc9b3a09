"""Start the app: a socket, tokens, a private folder, and the server."""

import asyncio
import html
import logging
import os
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from steadycut.app.guard import Guard, Settings, is_loopback
from steadycut.app.jobs import Jobs
from steadycut.app.routes import Commands, make_app
from steadycut.errors import BadOption, refusing
from steadycut.io.files import work_folder

# Seconds that unfinished answers may take when the app is closed.
GRACE = 2
# Seconds that the first line and the headers of a request may take.
PATIENCE = 20
LAST_PORT = 65535


def serve(commands: Commands, *, host: str, port: int, limit: int, browser: bool) -> None:
    """Serve the app until the process is asked to end; then remove everything."""
    with closed_by_signals(), listening(host, port) as listener, work_folder() as folder:
        taken, token = listener.getsockname()[1], secrets.token_urlsafe(24)
        opener = secrets.token_urlsafe(24) if browser else ""
        settings = Settings(host=host, port=taken, token=token, limit=limit, opener=opener)
        announce(settings, folder)
        jobs = Jobs(folder)
        try:
            _server(make_app(jobs, commands, settings)).run(sockets=[listener])
        finally:
            jobs.close()


def announce(settings: Settings, folder: Path) -> None:
    """Print the address, warn if others can reach it, and open a browser if it has a token.

    All users of a machine can read the command line of a browser. So it names a file in ``folder``
    that only this user can read, and which leads to the app.
    """
    if not is_loopback(settings.host):
        sys.stderr.write(
            f"steadycut: warning: --host {settings.host} lets other machines reach the app. It is "
            "not encrypted: whoever sees the address or the network can read your tables.\n"
        )
    address = address_of(settings, settings.token)
    sys.stdout.write(f"{address}\nResults stay here until you end the app with Ctrl-C.\n")
    sys.stdout.flush()
    if settings.opener:
        place = entrance(settings, folder).as_uri()
        # A text browser would block this thread.
        threading.Thread(target=webbrowser.open, args=(place,), daemon=True).start()


def entrance(settings: Settings, folder: Path) -> Path:
    """Write the page that leads a browser to the app, for this user alone."""
    path, address = folder / "open.html", address_of(settings, settings.opener)
    text = f'<!doctype html><meta http-equiv="refresh" content="0;url={html.escape(address)}">'
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    return path


def address_of(settings: Settings, token: str) -> str:
    """Return the address that a browser opens.

    Examples
    --------
    >>> address_of(Settings(host="::1", port=80, token="t", limit=1), "t")
    'http://[::1]:80/?token=t'
    """
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
    host = everywhere.get(settings.host, settings.host)
    bracketed = f"[{host}]" if ":" in host else host
    return f"http://{bracketed}:{settings.port}/?token={token}"


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Yield a listening socket; refuse an address that cannot be used."""
    if port > LAST_PORT:
        raise BadOption(f"--port must be a whole number from 0 to {LAST_PORT}; got {port}.")
    msg = f"cannot listen on {host}, port {port}: {{why}}. Choose another --port, or 0."
    with refusing(BadOption, msg, OSError):
        family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.create_server(place[:2], family=family)
    with listener:
        yield listener


@contextmanager
def closed_by_signals() -> Iterator[None]:
    """Close the app in order when the process gets a usual signal to end.

    The server ends and then raises the signal again. That must not end the process before
    everything is removed.
    """
    names = [name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {name: signal.signal(getattr(signal, name), _interrupt) for name in names}
    try:
        with suppress(KeyboardInterrupt):
            yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


def _interrupt(number: int, _frame: object) -> None:
    raise KeyboardInterrupt(number)


class Impatient(H11Protocol):
    """Closes a connection whose request does not have all its headers after some seconds."""

    waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Wait on while a request is not whole."""
        super().data_received(data)
        self._watch()

    def _watch(self) -> None:
        if self.waiting is not None and self.conn.their_state is not h11.IDLE:
            self.waiting.cancel()
            self.waiting = None
        elif self.waiting is None and self.conn.their_state is h11.IDLE:
            self.waiting = self.loop.call_later(PATIENCE, self.transport.close)


def _server(app: Guard) -> uvicorn.Server:
    # The parser of uploads would print bytes of them.
    logging.getLogger("python_multipart").setLevel(logging.CRITICAL)
    config = uvicorn.Config(
        app,
        http=Impatient,
        # Error texts may contain cells of a table.
        log_level="warning" if os.environ.get("STEADYCUT_DEBUG") else "critical",
        # The address of a request may contain the token.
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=GRACE,
    )
    return uvicorn.Server(config)
