"""Who may ask, and the headers of answers."""

import pytest

from steadycut.app.guard import Settings, host_is_ours, is_loopback
from tests.app.client import ORIGIN, PORT, TOKEN, make_client, refused, upload

MEGABYTE = 1 << 20
EVERYWHERE = "0.0.0.0"  # noqa: S104


@pytest.fixture
def stranger(folder):
    """A client without the token."""
    client, jobs = make_client(folder, welcome=False)
    yield client
    jobs.close()


@pytest.mark.parametrize(
    ("host", "header", "ours"),
    [
        ("127.0.0.1", "127.0.0.1:80", True),
        ("127.0.0.1", "LOCALHOST:80", True),
        ("127.0.0.1", "[::1]:80", True),
        ("127.0.0.1", "127.0.0.1:81", False),
        ("127.0.0.1", "127.0.0.1", False),
        ("127.0.0.1", "evil.example:80", False),
        ("127.0.0.1", "127.0.0.1.evil.example:80", False),
        ("127.0.0.1", "10.0.0.5:80", False),
        ("127.0.0.1", "", False),
        (EVERYWHERE, "10.0.0.5:80", True),
        (EVERYWHERE, "evil.example:80", False),
        ("ward-7", "ward-7:80", True),
    ],
)
def test_only_our_own_names_are_ours(host, header, ours):
    settings = Settings(host=host, port=80, token="", limit=1)
    assert host_is_ours(header, settings) is ours


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), (EVERYWHERE, False), ("ward", False)],
)
def test_loopback_is_known(host, loopback):
    assert is_loopback(host) is loopback


def test_another_host_is_refused_even_with_the_token(client):
    answer = client.get("/", headers={"host": f"evil.example:{PORT}"})
    assert (answer.status_code, "not the one" in answer.text) == (421, True)


@pytest.mark.parametrize("place", ["/", "/?token=wrong", "/style.css", f"/jobs/x?token={TOKEN}"])
def test_without_the_token_nothing_is_answered(stranger, place):
    answer = stranger.get(place)
    assert answer.status_code == 403
    assert refused(answer) == (
        "open the whole address that steadycut app has printed, token included. It works in one "
        "browser only; start the app again for another."
    )


def test_the_printed_address_gives_a_cookie_and_leaves_no_token_behind(stranger):
    answer = stranger.get(f"/?token={TOKEN}", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKEN not in cookie
    assert stranger.get("/").status_code == 200


def test_the_printed_address_works_once_and_in_its_browser_again(stranger, folder):
    assert stranger.head(f"/?token={TOKEN}").status_code == 403
    assert stranger.get(f"/?token={TOKEN}").status_code == 200
    assert stranger.get(f"/?token={TOKEN}").status_code == 200
    stranger.cookies.clear()
    assert stranger.get(f"/?token={TOKEN}").status_code == 403
    assert stranger.get("/", headers={"cookie": f"steadycut-{PORT}={TOKEN}"}).status_code == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "", f"https://127.0.0.1:{PORT}"])
@pytest.mark.parametrize("place", ["/fit", "/demo", "/audit", "/jobs/x/run", "/jobs/x/remove"])
def test_what_changes_something_must_come_from_our_pages(client, folder, origin, place):
    answer = client.post(place, headers={"origin": origin})
    assert (answer.status_code, list(folder.iterdir())) == (403, [])


def test_a_request_without_an_origin_is_refused(client):
    del client.headers["origin"]
    assert client.post("/demo").status_code == 403


def test_too_large_an_upload_is_refused_before_it_is_read(folder, tmp_path):
    client, _ = make_client(folder, limit=1)
    large = tmp_path / "large.csv"
    large.write_bytes(b"x" * (MEGABYTE + 1))
    answer = upload(client, large)
    assert (answer.status_code, list(folder.iterdir())) == (413, [])
    assert refused(answer).startswith("an upload may have 1 MB at most; this one has more.")


def test_an_upload_that_is_larger_than_it_says_is_refused(folder):
    client, _ = make_client(folder, limit=1)
    body = b'--x\r\nContent-Disposition: form-data; name="tables"; filename="t.csv"\r\n\r\n'
    body += b"1" * (MEGABYTE + 1) + b"\r\n--x--\r\n"
    says = {"content-length": "100", "content-type": "multipart/form-data; boundary=x"}
    answer = client.post("/fit", content=body, headers=says)
    assert (answer.status_code, list(folder.iterdir())) == (413, [])
    assert refused(answer).startswith("an upload may have 1 MB at most")


def test_an_upload_of_unknown_length_is_refused(client, folder):
    answer = client.post("/fit", content=iter([b"a", b"b"]))
    assert (answer.status_code, list(folder.iterdir())) == (411, [])


@pytest.mark.parametrize("place", ["/", "/nowhere", "/style.css"])
def test_every_answer_has_its_headers(client, place):
    headers = client.get(place).headers
    assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers


def test_our_own_faults_have_them_too_and_tell_no_cell(client, monkeypatch):
    def fail(*_):
        msg = "Zq§north001"
        raise RuntimeError(msg)

    monkeypatch.setattr("steadycut.app.routes.page", fail)
    answer = client.get("/")
    assert (answer.status_code, "Zq§" in answer.text) == (500, False)
    assert "fault of steadycut" in refused(answer)
    assert answer.headers["cache-control"] == "no-store"


def test_the_origin_is_that_of_the_address(client):
    assert client.get("/", headers={"origin": ORIGIN}).status_code == 200
