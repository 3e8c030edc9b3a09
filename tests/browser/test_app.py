"""The app in a real browser, from the upload to the audit."""

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest

from steadycut.cli.main import run
from steadycut.datasets import write_two_hospitals
from steadycut.show.words.fields import in_words
from steadycut.study.compare import RULES
from tests.browser.conftest import BROWSERS
from tests.browser.waiting import PATIENCE, check_colours, faults, follow, wait_until
from tests.cli.commands import HEADER, by_app, make_rows, run_command, write_rows

SCRIPT = "<script>alert(1)</script>"
APP = [sys.executable, "-m", "steadycut.cli.main", "app", "--no-browser", "--limit", "5"]


@pytest.fixture(scope="module")
def cookie(browser, tmp_path_factory):
    """The cookie of a running app; its address works once, so the tests share it."""
    environment = {**os.environ, "TMPDIR": str(tmp_path_factory.mktemp("temporary"))}
    process = subprocess.Popen(APP, stdout=subprocess.PIPE, text=True, env=environment)
    address = process.stdout.readline().strip()
    with browser.new_context() as context:
        context.set_default_timeout(PATIENCE)
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
    """The first page."""
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
        page.locator("form[action='/fit']").wait_for()
        # The style and the script may still be on their way.
        page.wait_for_load_state("networkidle")
        process.terminate()


def choose(page, path, button="Choose a cut-off"):
    follow(page, filled_in(page, path).get_by_role("button", name=button))


def filled_in(page, path):
    """Return the form on the first page, with a table chosen."""
    form = page.locator("form[action='/fit']")
    form.locator("input[type=file]").set_input_files(path)
    return form


def fit(page):
    work(page, "Choose and certify the cut-off")


def work(page, button):
    """Start the work, and wait until the page of its result has loaded."""
    page.get_by_role("button", name=button, exact=True).click()
    page.get_by_role("heading", name="Keep").wait_for()
    page.wait_for_load_state()


def chosen(field):
    """Look at what is chosen in a list."""
    return field.locator("option:checked").inner_text()


def saved(page, name):
    with page.expect_download() as started:
        page.get_by_role("link", name=name, exact=True).click()
    return started.value.path().read_bytes()


def check_looks(page):
    """No serious fault in light and dark, and nothing wider than a telephone."""
    check_colours(page)
    page.set_viewport_size({"width": 390, "height": 800})
    wait_until(lambda: page.evaluate("document.documentElement.scrollWidth <= 390"), wanted=True)
    page.set_viewport_size({"width": 1280, "height": 900})


def test_the_whole_way(app, table, tmp_path):
    check_looks(app)
    choose(app, table)
    wait_until(lambda: chosen(app.get_by_label("Patient", exact=True)), "patient")
    wait_until(lambda: chosen(app.get_by_label("Label", exact=True)), "tumour")
    app.get_by_label("max", exact=True).check()
    app.get_by_label("Others, with a number").fill("quantile:0.9")
    app.get_by_text("Levels between rows and patients").click()
    app.get_by_label("Inner level").select_option(label="slide")
    app.get_by_label("Cost of a missed patient").fill("3")
    app.get_by_label("A", exact=True).check()
    wait_until(app.locator("#internal").input_value, "A")
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
    follow(app, app.get_by_role("button", name="Audit elsewhere"))
    app.get_by_label("B", exact=True).wait_for()
    wait_until(app.get_by_label("A", exact=True).count, 0)
    app.get_by_label("B", exact=True).check()
    app.get_by_role("button", name="Audit the rule").click()
    app.frame_locator("iframe").get_by_role("heading", name="Audit").first.wait_for()
    assert b'"n_patients": 300' in saved(app, "audit.json")


def begin(page, place, title):
    """Open a result, and go to the form of another work."""
    page.goto(place)
    follow(page, page.get_by_role("button", name=title, exact=True))


def finish(page, button):
    """Start the work, and return the frame with its page."""
    work(page, button)
    frame = page.frame_locator("iframe[title=Report]")
    frame.get_by_role("heading", level=1).wait_for()
    return frame


def check_refused(page, button, *named):
    """A form that lacks something says so in one sentence, and keeps what was filled in."""
    follow(page, page.get_by_role("button", name=button, exact=True))
    said = wait_until(page.locator("#problem p").last.inner_text, bool)
    assert all(name in said for name in named)
    assert len(said.split(". ")) <= 2
    wait_until(page.get_by_role("heading", name="Keep").count, 0)


def test_compare_watch_plan_and_the_list_of_rules(app, tmp_path):
    rows = [[*row, i // 6] for i, row in enumerate(make_rows())]
    table = write_rows(tmp_path / "days.csv", rows, [*HEADER, "day"])
    choose(app, table)
    app.get_by_label("north", exact=True).check()
    app.get_by_text("More options", exact=True).click()
    app.get_by_label("Number of repeated samples").fill("20")
    fit(app)
    study = app.url

    begin(app, study, "Compare ways to choose")
    check_looks(app)
    check_refused(app, "Compare", "“Sites to judge on” must be filled in")
    app.locator("#external-list").get_by_label("south").check()
    title = finish(app, "Compare").get_by_role("heading", level=1)
    wait_until(title.inner_text, lambda text: "rules" in text)
    first = app.get_by_role("region", name="In short").first
    wait_until(first.get_by_role("row").count, 1 + len(RULES))
    check_looks(app)

    begin(app, study, "Watch in use")
    wait_until(lambda: chosen(app.get_by_label("When a row came in")), "day")
    app.get_by_label("When a row came in").select_option(label="slide")
    check_refused(app, "Watch the rule", "slide")
    app.get_by_label("When a row came in").select_option(label="day")
    app.locator("#external-list").get_by_label("south").check()
    finish(app, "Watch the rule")
    wait_until(first.inner_text, lambda text: "No alarm: 30 patients" in text)
    check_looks(app)

    begin(app, study, "Plan the number of patients")
    study_made = app.get_by_label("A study made here")
    wait_until(study_made.inner_text, lambda text: "Study of days.csv" in text)
    check_refused(app, "Make the plan", "“Number of patients”")
    app.get_by_label("How far the promise may lie above it").fill("0.1")
    finish(app, "Make the plan")
    wait_until(first.inner_text, lambda text: "of them used to check" in text)
    check_looks(app)
    # A plan has no table, but the buttons below it still carry that of the study.
    follow(app, app.get_by_role("button", name="Watch in use"))
    wait_until(lambda: chosen(app.get_by_label("When a row came in")), "day")

    follow(app, app.get_by_role("link", name="steadycut").first)
    rule = app.get_by_role("radio", name="Study of days.csv")
    wait_until(rule.is_checked, wanted=True)
    (tmp_path / "rule.json").write_text("{}", encoding="utf-8")
    app.get_by_label("Rule file").set_input_files(tmp_path / "rule.json")
    wait_until(rule.is_checked, wanted=False)
    rule.check()
    wait_until(app.get_by_label("Rule file").input_value, "")
    check_looks(app)
    follow(app, app.get_by_role("button", name="Decide for patients"))
    app.get_by_role("button", name="Decide for every patient").click()
    assert saved(app, "decisions.csv").startswith(b"patient,score,decision")


def test_a_wrong_file_shows_the_line_of_the_command(browser, cookie, tmp_path, monkeypatch, capsys):
    # Not the page of the other tests: the browser itself calls the status 400 an error.
    page = browser.new_page()
    opened(page, cookie)
    (tmp_path / "t.parquet").write_bytes(b"no parquet")
    choose(page, tmp_path / "t.parquet")
    shown = wait_until(page.locator("#problem p").last.inner_text, bool)
    page.close()
    monkeypatch.chdir(tmp_path)
    asked = ["--patient", "patient", "--score", "score", "--label", "x", "--out", "o"]
    ran = run_command(capsys, "fit", "t.parquet", *asked, run=by_app)
    assert (ran.code, in_words(ran.err)) == (2, f"steadycut: {shown}\n")


def test_results_survive_closing_the_browser(browser, tmp_path):
    """The profile of the browser is kept, as on a real machine; a new browser opens with it."""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    table = write_rows(tmp_path / "t.csv", make_rows())
    with subprocess.Popen(APP, stdout=subprocess.PIPE, text=True, env=environment) as process:
        address = process.stdout.readline().strip()
        with profile(browser, tmp_path / "profile") as page:
            page.goto(address)
            choose(page, table)
            page.get_by_label("north", exact=True).check()
            fit(page)
        with profile(browser, tmp_path / "profile") as page:
            page.goto(address.partition("?")[0])
            page.get_by_role("heading", name="Results so far").wait_for()
            wait_until(lambda: faults(page), [])
            follow(page, page.get_by_role("link", name="Study of t.csv"))
            page.get_by_role("heading", name="Keep").wait_for()
        process.terminate()


@contextmanager
def profile(browser, folder):
    """Open a browser with what an earlier one has left in a folder, and close it."""
    path = next(found for found in map(shutil.which, BROWSERS) if found)
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    context = browser.browser_type.launch_persistent_context(
        folder, executable_path=path, args=arguments
    )
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def test_a_european_table_is_shown_as_it_will_be_read(app, tmp_path):
    lines = [
        ";".join([str(cell).replace(".", ",") for cell in row]) for row in [HEADER, *make_rows()]
    ]
    (tmp_path / "euro.csv").write_text("\n".join(lines), encoding="utf-8")
    choose(app, tmp_path / "euro.csv")
    app.get_by_text(
        "Columns are separated by semicolons. Numbers seem to have a decimal"
    ).wait_for()
    row = app.get_by_role("row", name="score")
    wait_until(row.inner_text, lambda text: "numbers" in text and "," not in text)
    app.get_by_text("More options", exact=True).click()
    wait_until(lambda: chosen(app.get_by_label("Decimal sign of scores")), "a comma, as in 0,5")
    app.get_by_label("north", exact=True).check()
    fit(app)


def test_the_field_that_an_error_names_is_opened(app, tmp_path):
    choose(app, write_rows(tmp_path / "t.csv", make_rows()))
    app.get_by_text("More options", exact=True).click()
    app.get_by_label("Number of repeated samples").fill("few")
    follow(app, app.get_by_role("button", name="Choose and certify the cut-off"))
    app.locator("#problem").wait_for()
    field = app.locator("#bootstrap")
    wait_until(field.is_visible, wanted=True)
    wait_until(lambda: field.evaluate("field => field === document.activeElement"), wanted=True)
    said = wait_until(app.locator("#problem p").last.inner_text, bool)
    wait_until(app.locator(".field:has(#bootstrap) .problem").inner_text, said)
    check_looks(app)
    # The labels are texts: the list of labels to pick from.
    field.fill("20")
    app.get_by_label("Label", exact=True).select_option(label="slide")
    follow(app, app.get_by_role("button", name="Choose and certify the cut-off"))
    labels = app.locator("#positive-list")
    wait_until(lambda: labels.evaluate("field => field === document.activeElement"), wanted=True)


def test_too_large_a_file_is_refused_before_it_is_sent(app, tmp_path):
    (tmp_path / "t.csv").write_bytes(b"x" * (6 << 20))
    asked = []
    app.on("request", lambda request: asked.append(request.url))
    form = filled_in(app, tmp_path / "t.csv")
    form.get_by_role("button", name="Choose a cut-off").click()
    refused = "an upload may have 5 MB at most"
    wait_until(form.locator(".problem").inner_text, lambda text: text.startswith(refused))
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
    title = app.frame_locator("iframe").get_by_role("heading", level=1)
    wait_until(title.inner_text, lambda text: SCRIPT in text)
    assert asked == []


def test_work_is_watched_and_cancelled_by_keyboard(app):
    follow(app, app.get_by_role("button", name="Try it on two simulated hospitals"), "Enter")
    app.get_by_text("More options").press("Enter")
    app.get_by_label("Number of repeated samples").fill("1000000")
    follow(app, app.get_by_role("button", name="Choose and certify"), "Enter")
    app.get_by_role("progressbar").wait_for()
    wait_until(lambda: faults(app), [])
    app.get_by_role("button", name="Cancel").press("Enter")
    app.get_by_text("The work was cancelled.").wait_for()
    wait_until(app.get_by_label("Number of repeated samples").input_value, "1000000")
