"""The whole way through the pages, without a browser."""

import html
import re
import shlex

import pytest

from steadycut.app.told import FIRST_AUDIT
from steadycut.cli.main import run
from steadycut.show.pages.kinds import page_of
from steadycut.show.words.fields import in_words
from tests.app.client import FILLED, make_client, refused, start, upload, wait
from tests.cli.commands import FIT, MARK, SITES, by_app, make_rows, run_command, write_rows
from tests.show.documents import document

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def fitted(table, tmp_path_factory):
    """A client with a study that is done, its address, and its page."""
    folder = tmp_path_factory.mktemp("private")
    client, jobs = make_client(folder)
    place = start(client, upload(client, table), **FILLED)
    yield client, place, wait(client, place)
    jobs.close()
    assert list(folder.iterdir()) == []


@pytest.fixture(scope="module")
def files(table, tmp_path_factory):
    """What the command leaves with the same options."""
    out = tmp_path_factory.mktemp("out")
    assert run(["fit", str(table), *FIT, *SITES, "--out", str(out)]) == 0
    return {path.name: path.read_bytes() for path in out.iterdir()}


def test_the_files_are_those_of_the_command_to_the_byte(fitted, files):
    client, place, _ = fitted
    for name, content in files.items():
        answer = client.get(f"{place}/files/{name}")
        assert answer.content == content
        assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    assert client.get(f"{place}/page").content == files["report.html"]


def test_the_report_is_shown_in_a_frame_that_reaches_nothing(fitted):
    client, place, page = fitted
    assert f'src="{place}/page"' in page.text
    policy = client.get(f"{place}/page").headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in policy
    assert "frame-ancestors 'self'" in policy


def test_the_result_shows_the_same_as_a_command(fitted, table, tmp_path, monkeypatch, files):
    command = html.unescape(re.search(r"<pre[^>]*>(.*)</pre>", fitted[2].text)[1])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_bytes(table.read_bytes())
    assert run(shlex.split(command)[1:]) == 0
    assert (tmp_path / "study" / "rule.json").read_bytes() == files["rule.json"]


@pytest.mark.parametrize(
    "name", ["log", "table.csv", "..%2Flog", "..%2F..%2Fetc%2Fpasswd", "work", "", "rule.json%00"]
)
def test_no_other_file_is_handed_out(fitted, name):
    client, place, _ = fitted
    assert client.get(f"{place}/files/{name}").status_code == 404


def test_no_identifier_is_on_any_page(fitted):
    client, place, page = fitted
    texts = [page.text, client.get(f"{place}?edit=1").text, client.get(f"{place}/page").text]
    assert MARK not in "".join([*texts, client.get("/").text])


def test_the_form_remembers_what_was_filled_in(fitted):
    client, place, _ = fitted
    text = client.get(f"{place}?edit=1").text
    assert 'name="bootstrap" value="20"' in text
    assert 'name="internal" value="north"' in text


def test_an_audit_of_the_rule_at_the_other_site(fitted, table, tmp_path, files, capsys):
    client, place, _ = fitted
    key = place.rpartition("/")[2]
    answer = client.post("/audit", data={"study": key}, files={"x": b""}, follow_redirects=False)
    audit = start(client, answer, label="5", site="0", external="south")
    page = wait(client, audit)
    (tmp_path / "rule.json").write_bytes(files["rule.json"])
    arguments = ["--label", "label", "--site", "site", "--external", "south"]
    ran = run_command(
        capsys, "audit", tmp_path / "rule.json", table, *arguments, "--out", tmp_path / "a"
    )
    assert (page.status_code, ran.code) == (200, 0)
    for name in ("audit.json", "audit.html"):
        assert client.get(f"{audit}/files/{name}").content == (tmp_path / "a" / name).read_bytes()
    notes = [in_words(line.removeprefix("steadycut: ")) for line in ran.err.splitlines()]
    assert all(note in html.unescape(page.text) for note in notes)


def test_an_audit_offers_and_takes_only_sites_that_the_rule_was_not_made_on(fitted):
    client, place, _ = fitted
    key = place.rpartition("/")[2]
    answer = client.post("/audit", data={"study": key}, files={"x": b""}, follow_redirects=False)
    form = client.get(answer.headers["location"]).text
    assert """data-values='["south"]' selected>site""" in form
    audit = start(client, answer, label="5", site="0", external="")
    assert "--external=others" in wait(client, audit).text


def test_the_result_begins_with_status_headline_and_next_step(fitted):
    client, place, page = fitted
    told = page_of(document(client.get(f"{place}/files/study.json").json()))
    text, begin = html.unescape(page.text), 0
    for part in (told.status.text, *told.headline, FIRST_AUDIT, "<h2>Keep</h2>"):
        begin = text.index(part, begin)


def test_no_page_names_an_option_of_the_command_line(fitted):
    client, place, _ = fitted
    for text in (client.get("/").text, client.get(f"{place}?edit=1").text):
        assert not re.search(r"--[a-z]", text)


def test_an_audit_of_an_uploaded_rule_without_labels(client, table, files):
    answer = upload(client, table, to="/audit", rule=("r.json", files["rule.json"]))
    place = start(client, answer)
    assert "audit.html" in wait(client, place).text
    assert client.get(f"{place}/files/audit.json").json()["labelled"] is False


@pytest.mark.parametrize(
    ("content", "told"), [(b"{}", "rule.json"), (b"no json", "rule.json"), (None, "got none")]
)
def test_a_wrong_rule_is_refused_at_once(client, table, content, told):
    rule = {} if content is None else {"rule": ("r.json", content)}
    answer = upload(client, table, to="/audit", **rule)
    assert answer.status_code == 400
    assert told in refused(answer)


@pytest.mark.parametrize(
    ("name", "content"),
    [("t.xlsx", b"x"), ("t.csv", b""), ("t.parquet", b"x"), ("t.csv", b"patient,score,label\n1\n")],
)
def test_a_wrong_file_is_answered_with_the_line_of_the_command(
    client, tmp_path, monkeypatch, capsys, name, content
):
    (tmp_path / name).write_bytes(content)
    answer = upload(client, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    asked = ["--patient", "patient", "--score", "score", "--label", "label", "--out", "o"]
    ran = run_command(capsys, "fit", name, *asked, run=by_app)
    assert (answer.status_code, ran.code) == (400, 2)
    assert f"steadycut: {refused(answer)}\n" == in_words(ran.err)


def test_wrong_content_is_answered_with_the_line_of_the_command(
    client, tmp_path, capsys, monkeypatch
):
    rows = [[*row[:5], 2] if i == 3 else row for i, row in enumerate(make_rows())]
    table = write_rows(tmp_path / "t.csv", rows)
    page = wait(client, start(client, upload(client, table), **FILLED))
    monkeypatch.chdir(tmp_path)
    ran = run_command(capsys, "fit", "t.csv", *FIT, *SITES, "--out", "o", run=by_app)
    assert (ran.code, f"steadycut: {refused(page)}\n") == (2, in_words(ran.err))
    assert 'name="bootstrap" value="20"' in page.text


def test_a_wrong_option_is_answered_with_the_line_of_the_command(client, table):
    place = start(client, upload(client, table), **{**FILLED, "cost_fn": "free"})
    page = wait(client, place)
    assert "must be a number; got 'free'" in refused(page)
    assert "“Cost of a missed patient”" in refused(page)
    assert "--" not in refused(page)
    assert client.get(f"{place}/files/rule.json").status_code == 404


def test_no_file_is_refused(client):
    answer = client.post("/fit", files={"tables": ("", b"")})
    assert (answer.status_code, refused(answer)) == (
        400,
        "at least one file must be given; got none.",
    )


def test_a_column_that_is_a_script_stays_text(client, tmp_path):
    header = ["site", "patient", "slide", SCRIPT, "other", "label"]
    table = write_rows(tmp_path / f"a{SCRIPT.replace('/', '')}.csv", make_rows(), header)
    answer = upload(client, table)
    page = client.get(answer.headers["location"])
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page.text
    assert SCRIPT not in page.text


def test_jobs_do_not_mix(client, table, tmp_path):
    other = write_rows(tmp_path / "other.csv", make_rows(n_patients=20))
    first, second = upload(client, table), upload(client, other)
    assert first.headers["location"] != second.headers["location"]
    assert "table.csv" in client.get(first.headers["location"]).text
    assert "table.csv" not in client.get(second.headers["location"]).text
    assert {"table.csv", "other.csv"} <= set(client.get("/").text.replace("<", " ").split())


def test_work_is_watched_not_started_twice_and_cancelled(client, table):
    place = start(client, upload(client, table), **{**FILLED, "bootstrap": "1000000"})
    answer = client.post(f"{place}/run", data=FILLED)
    assert (answer.status_code, "being worked on" in refused(answer)) == (409, True)
    assert "How far it is" in client.get(place).text
    while not (status := client.get(f"{place}/status").json())["text"].startswith("bootstrap of"):
        assert status["state"] == "running"
    assert status["text"] == "bootstrap of score: patient mean: 0 of 1"
    assert "The work was cancelled." in client.post(f"{place}/cancel").text
    assert 'name="bootstrap" value="1000000"' in client.get(place).text


def test_more_than_a_process_takes_is_refused(client, table):
    place = upload(client, table).headers["location"]
    answer = client.post(f"{place}/run", data={**FILLED, "rule": "x" * 300_000})
    assert (answer.status_code, "Argument list too long" in refused(answer)) == (409, True)
    assert client.get(f"{place}/status").json()["state"] == "new"


@pytest.mark.parametrize("place", ["/jobs/none", "/jobs/none/status", "/nowhere", "/jobs/../x"])
def test_what_is_not_there_is_not_found(client, place):
    answer = client.get(place)
    assert (answer.status_code, bool(refused(answer))) == (404, True)


def test_removing_deletes_the_files(client, table, folder):
    place = upload(client, table).headers["location"]
    assert (folder / place.rpartition("/")[2] / "table.csv").exists()
    assert client.post(f"{place}/remove").status_code == 200
    assert list(folder.iterdir()) == []
    assert client.get(place).status_code == 404


def test_the_demo_needs_no_file(client):
    answer = client.post("/demo", follow_redirects=False)
    text = client.get(answer.headers["location"]).text
    assert "two_hospitals.csv" in text
    assert """data-values='["A", "B"]' selected>hospital""" in text


def test_two_rules_are_refused(fitted, table, files):
    client, *_ = fitted
    rules = [("rule", (f"{name}.json", files["rule.json"])) for name in "ab"]
    tables = [("tables", (table.name, table.read_bytes()))]
    answer = client.post("/audit", files=[*tables, *rules], follow_redirects=False)
    assert (answer.status_code, "one rule must be given" in answer.text) == (400, True)
    named = [("tables", ("rule.json", table.read_bytes())), rules[0]]
    assert client.post("/audit", files=named, follow_redirects=False).status_code < 500
