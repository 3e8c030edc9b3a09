"""Who may ask: a browser on this machine, from this app's own pages, with this run's token.

A page of another site can make a browser send requests to this app. It can also make a name that it
controls point to this machine (DNS rebinding). So the Host must be this app. Requests that change
something must come from its own pages (Origin). All requests need a cookie. It is given for the
token in the printed address, or for that in the private file that a browser is started with. Each
token works once. The cookie outlives the browser: whoever opens it again finds the results.
"""

import ipaddress
import secrets
from dataclasses import dataclass

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from steadycut.app.pages import refusal

SAFE = frozenset({"GET", "HEAD"})
MEGABYTE = 1 << 20
# In seconds. A new run of the app has another secret.
COOKIE_AGE = 30 * 24 * 3600
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
ENTRANCE = '<!doctype html><meta http-equiv="refresh" content="0;url=/"><a href="/">Open</a>'
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # With no-referrer, browsers would not send the Origin either.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where the app listens, its tokens, and the largest upload in megabytes.

    ``token`` is in the printed address. ``opener`` is in the file that a browser is started with;
    without a browser there is none.
    """

    host: str
    port: int
    token: str
    limit: int
    opener: str = ""

    @property
    def cookie(self) -> str:
        """The name of the cookie; two apps on one machine have two."""
        return f"steadycut-{self.port}"


class Guard:
    """Pass only allowed requests on, and give every answer its headers."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings
        self._unused = {token for token in (settings.token, settings.opener) if token}
        self._secret = secrets.token_urlsafe(24)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or pass it on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        answer = self._answer(Request(scope)) or self.app
        await answer(scope, _limited(receive, self.settings.limit), _with_headers(send))

    def _answer(self, request: Request) -> Response | None:
        """Return the answer to a forbidden request or to the printed address; otherwise None."""
        if not host_is_ours(request.headers.get("host", ""), self.settings):
            return refusal(421, "this address is not the one that the app listens on.")
        if request.method not in SAFE:
            refused = _from_elsewhere(request) or _too_large(request, self.settings.limit)
            if refused is not None:
                return refused
        return self._welcome(request)

    def _welcome(self, request: Request) -> Response | None:
        given = request.query_params.get("token") if request.url.path == "/" else None
        known = _same(request.cookies.get(self.settings.cookie, ""), self._secret)
        if known:
            return None if given is None else RedirectResponse("/", status_code=303)
        if given is not None and request.method == "GET" and self._use(given):
            # Browsers keep a strict cookie from a redirect that began in a file, but not from a
            # page of ours.
            answer: Response = RedirectResponse("/", status_code=303)
            if _same(given, self.settings.opener):
                answer = HTMLResponse(ENTRANCE)
            answer.set_cookie(
                self.settings.cookie,
                self._secret,
                max_age=COOKIE_AGE,
                httponly=True,
                samesite="strict",
            )
            return answer
        return refusal(
            403,
            "open the whole address that steadycut app has printed, token included. It works in "
            "one browser only; start the app again for another.",
        )

    def _use(self, given: str) -> bool:
        """Whether a token is right and was not used before."""
        matching = [token for token in self._unused if _same(token, given)]
        self._unused.difference_update(matching)
        return bool(matching)


def _same(given: str, two: str) -> bool:
    return secrets.compare_digest(given.encode(), two.encode())


def host_is_ours(header: str, settings: Settings) -> bool:
    """Whether a Host header names this app: loopback, the given host, or any IP if none was given.

    Examples
    --------
    >>> settings = Settings(host="127.0.0.1", port=8000, token="", limit=1)
    >>> [host_is_ours(f"{name}:8000", settings) for name in ("localhost", "[::1]", "evil.example")]
    [True, True, False]
    """
    name, _, port = header.rpartition(":")
    if port != str(settings.port):
        return False
    if name.casefold() in {"localhost", settings.host.casefold()}:
        return True
    address = _address(name.strip("[]"))
    # Somebody else can make a name point here, but not an IP address.
    return address is not None and (address.is_loopback or not is_loopback(settings.host))


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host."""
    address = _address(host)
    return host.casefold() == "localhost" or (address is not None and address.is_loopback)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def _from_elsewhere(request: Request) -> Response | None:
    if request.headers.get("origin") == f"http://{request.headers['host']}":
        return None
    return refusal(403, "this request did not come from a page of the app.")


def _too_large(request: Request, limit: int) -> Response | None:
    length = request.headers.get("content-length", "")
    if not length.isdecimal():
        return refusal(411, "an upload must say how long it is.")
    return None if int(length) <= limit * MEGABYTE else refusal(413, too_large(limit))


def too_large(limit: int) -> str:
    """Say that an upload has too many bytes."""
    return (
        f"an upload may have {limit} MB at most; this one has more. Whoever starts the app can "
        "allow more; the command line has no limit."
    )


def _limited(receive: Receive, limit: int) -> Receive:
    """Count the bytes that arrive: a header may state fewer."""
    left = limit * MEGABYTE

    async def received() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise HTTPException(413, too_large(limit))
        return message

    return received


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sent
