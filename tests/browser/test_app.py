"""The app in a real browser, from the upload to the audit."""

import os
import subprocess
import sys

import pytest

from steadycut.app.words import in_words
from steadycut.cli.main import run
from steadycut.datasets import write_two_hospitals
from tests.cli.commands import HEADER, make_rows, run_command, write_rows

SCRIPT = "<script>alert(1)</script>"
APP = [sys.executable, "-m", "steadycut.cli.main", "app", "--no-browser", "--limit", "5"]
PATIENCE = 120_000


@pytest.fixture(scope="module")
def cookie(browser, tmp_path_factory):
    """The cookie of a running app; its address works once, so the tests share it."""
    environment = {**os.environ, "TMPDIR": str(tmp_path_factory.mktemp("temporary"))}
    process = subprocess.Popen(APP, stdout=subprocess.PIPE, text=True, env=environment)
    address = process.stdout.readline().strip()
    with browser.new_context() as context:
        context.new_page().goto(address)
        (found,) = context.cookies()
    origin = address.partition("/?")[0]
    yield {"name": found["name"], "value": found["value"], "url": f"{origin}/"}
    process.terminate()
    process.wait()
    process.stdout.close()


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """The bundled table."""
    path = tmp_path_factory.mktemp("table") / "two_hospitals.csv"
    write_two_hospitals(path)
    return path


@pytest.fixture
def app(page, cookie):
    """The first page, in a browser that is patient."""
    return opened(page, cookie)


def opened(page, cookie):
    page.set_default_timeout(PATIENCE)
    page.context.add_cookies([cookie])
    page.goto(cookie["url"])
    return page


def test_a_started_browser_finds_the_app_through_a_private_file(page, tmp_path):
    """A cookie must survive the way from a file to the app."""
    environment = {**os.environ, "TMPDIR": str(tmp_path), "BROWSER": "/bin/echo %s"}
    command = [one for one in APP if one != "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        place = next(line for line in process.stdout if line.startswith("file:"))
        page.goto(place.strip())
        page.locator("form[action='/fit']").wait_for(timeout=PATIENCE)
        # The style and the script may still be on their way.
        page.wait_for_load_state("networkidle")
        process.terminate()


def choose(page, path, button="Choose a cut-off"):
    form = page.locator("form[action='/fit']")
    form.locator("input[type=file]").set_input_files(path)
    form.get_by_role("button", name=button).click()


def fit(page):
    page.get_by_role("button", name="Choose and certify the cut-off").click()
    page.get_by_role("heading", name="Keep").wait_for()


def saved(page, name):
    with page.expect_download() as started:
        page.get_by_role("link", name=name, exact=True).click()
    return started.value.path().read_bytes()


def faults(page):
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    serious = [one for one in found if one["impact"] in {"serious", "critical"}]
    return [(one["id"], one["nodes"][0]["html"]) for one in serious]


def check_looks(page):
    """No serious fault in light and dark, and nothing wider than a telephone."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert faults(page) == []
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1280, "height": 900})


def test_the_whole_way(app, table, tmp_path):
    check_looks(app)
    choose(app, table)
    assert (
        app.get_by_label("Patient", exact=True).locator("option:checked").inner_text() == "patient"
    )
    assert app.get_by_label("Label", exact=True).locator("option:checked").inner_text() == "tumour"
    app.get_by_label("max", exact=True).check()
    app.get_by_label("Others, with a number").fill("quantile:0.9")
    app.get_by_text("Levels between rows and patients").click()
    app.get_by_label("Inner level").select_option(label="slide")
    app.get_by_label("Cost of a missed patient").fill("3")
    app.get_by_label("A", exact=True).check()
    assert app.locator("#internal").input_value() == "A"
    check_looks(app)
    fit(app)
    report = app.frame_locator("iframe[title=Report]")
    report.get_by_role("heading", level=1).wait_for()
    report.locator("#explorer").wait_for()
    check_looks(app)

    out = tmp_path / "study"
    command = ["fit", table, "--patient", "patient", "--score", "score", "--label", "tumour"]
    command += ["--site", "hospital", "--internal", "A", "--level", "slide:max", "--cost-fn", "3"]
    command += ["--aggregate", "mean", "--aggregate", "max", "--aggregate", "quantile:0.9"]
    assert run([str(one) for one in [*command, "--out", out]]) == 0
    for name in ("rule.json", "report.html"):
        assert saved(app, name) == (out / name).read_bytes()

    app.get_by_role("heading", name="What now").wait_for()
    app.get_by_role("button", name="Audit elsewhere").click()
    assert app.get_by_label("A", exact=True).count() == 0
    app.get_by_label("B", exact=True).check()
    app.get_by_role("button", name="Audit the rule").click()
    app.frame_locator("iframe").get_by_role("heading", name="Audit").first.wait_for()
    assert b'"n_patients": 150' in saved(app, "audit.json")


def begin(page, place, title):
    """Open a result, and go to the form of another work."""
    page.goto(place)
    page.get_by_role("button", name=title, exact=True).click()


def finish(page, button):
    """Start the work, and return the frame with its page."""
    page.get_by_role("button", name=button, exact=True).click()
    page.get_by_role("heading", name="Keep").wait_for()
    frame = page.frame_locator("iframe[title=Report]")
    frame.get_by_role("heading", level=1).wait_for()
    return frame


def check_refused(page, button, *named):
    """A form that lacks something says so in one sentence, and keeps what was filled in."""
    page.get_by_role("button", name=button, exact=True).click()
    page.locator("#problem").wait_for()
    said = page.locator("#problem p").last.inner_text()
    assert all(name in said for name in named)
    assert said.count(". ") <= 1
    assert page.get_by_role("heading", name="Keep").count() == 0


def test_compare_watch_plan_and_the_list_of_rules(app, tmp_path):
    rows = [[*row, i // 6] for i, row in enumerate(make_rows())]
    table = write_rows(tmp_path / "days.csv", rows, [*HEADER, "day"])
    choose(app, table)
    app.get_by_label("north", exact=True).check()
    app.get_by_text("More options").click()
    app.get_by_label("Number of repeated samples").fill("20")
    fit(app)
    study = app.url

    begin(app, study, "Compare ways to choose")
    check_looks(app)
    check_refused(app, "Compare", "“Sites to judge on” must be filled in")
    app.locator("#external-list").get_by_label("south").check()
    assert "rules" in finish(app, "Compare").get_by_role("heading", level=1).inner_text()
    first = app.get_by_role("region", name="In short").first
    assert first.get_by_role("row").count() == 7
    check_looks(app)

    begin(app, study, "Watch in use")
    assert app.get_by_label("When a row came in").locator("option:checked").inner_text() == "day"
    app.get_by_label("When a row came in").select_option(label="slide")
    check_refused(app, "Watch the rule", "slide")
    app.get_by_label("When a row came in").select_option(label="day")
    app.locator("#external-list").get_by_label("south").check()
    finish(app, "Watch the rule")
    assert "No alarm: 30 patients" in first.inner_text()
    check_looks(app)

    begin(app, study, "Plan the number of patients")
    assert "Study of days.csv" in app.get_by_label("A study made here").inner_text()
    check_refused(app, "Make the plan", "“Number of patients”")
    app.get_by_label("How far the promise may lie above it").fill("0.1")
    finish(app, "Make the plan")
    assert "of them used to check" in first.inner_text()
    check_looks(app)

    app.get_by_role("link", name="steadycut").first.click()
    rule = app.get_by_role("radio", name="Study of days.csv")
    assert rule.is_checked()
    (tmp_path / "rule.json").write_text("{}", encoding="utf-8")
    app.get_by_label("Rule file").set_input_files(tmp_path / "rule.json")
    assert not rule.is_checked()
    rule.check()
    assert app.get_by_label("Rule file").input_value() == ""
    check_looks(app)
    app.get_by_role("button", name="Decide for patients").click()
    app.get_by_role("button", name="Decide for every patient").click()
    assert saved(app, "decisions.csv").startswith(b"patient,score,decision")


def test_a_wrong_file_shows_the_line_of_the_command(browser, cookie, tmp_path, monkeypatch, capsys):
    # Not the page of the other tests: the browser itself calls the status 400 an error.
    page = browser.new_page()
    opened(page, cookie)
    (tmp_path / "t.parquet").write_bytes(b"no parquet")
    choose(page, tmp_path / "t.parquet")
    shown = page.locator("#problem p").last.inner_text()
    page.close()
    monkeypatch.chdir(tmp_path)
    asked = ["--patient", "patient", "--score", "score", "--label", "x", "--out", "o"]
    ran = run_command(capsys, "fit", "t.parquet", *asked)
    assert (ran.code, in_words(ran.err)) == (2, f"steadycut: {shown}\n")


def test_too_large_a_file_is_refused_before_it_is_sent(app, tmp_path):
    (tmp_path / "t.csv").write_bytes(b"x" * (6 << 20))
    asked = []
    app.on("request", lambda request: asked.append(request.url))
    choose(app, tmp_path / "t.csv")
    said = app.locator("form[action='/fit'] .problem")
    assert said.inner_text().startswith("an upload may have 5 MB at most")
    assert asked == []


def test_a_column_that_is_a_script_stays_text(app, tmp_path):
    asked = []
    app.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    rows = [f"p{i},0.{i % 9 + 1},{i % 2}" for i in range(40)]
    text = "\n".join([f"patient,{SCRIPT},label", *rows])
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    choose(app, tmp_path / "t.csv")
    app.get_by_role("rowheader", name=SCRIPT).wait_for()
    fit(app)
    assert SCRIPT in app.frame_locator("iframe").get_by_role("heading", level=1).inner_text()
    assert asked == []


def test_work_is_watched_and_cancelled_by_keyboard(app):
    app.get_by_role("button", name="Try it on two simulated hospitals").press("Enter")
    app.get_by_text("More options").press("Enter")
    app.get_by_label("Number of repeated samples").fill("1000000")
    app.get_by_role("button", name="Choose and certify").press("Enter")
    app.get_by_role("progressbar").wait_for()
    assert faults(app) == []
    app.get_by_role("button", name="Cancel").press("Enter")
    app.get_by_text("The work was cancelled.").wait_for()
    assert app.get_by_label("Number of repeated samples").input_value() == "1000000"
