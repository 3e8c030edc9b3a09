"""Compare, decide, watch and plan: the files of the commands, the answer first, the next step."""

import html
import json
import re
from types import SimpleNamespace

import pytest

from steadycut.app.fields import Field, arguments
from steadycut.app.rules import known_rules
from steadycut.app.told import APP, next_step
from steadycut.app.works import WORKS
from steadycut.cli.main import run
from steadycut.documents.next_step import NextStep
from steadycut.show.words.next_step import COMMAND_LINE, PYTHON, WORDS, step_of
from tests.app.client import FILLED, refused, start, upload, wait
from tests.cli.commands import FIT, MARK, SITES, make_rows, snapshot, write_rows
from tests.show.documents import document

SOUTH = ["--label", "label", "--site", "site", "--external", "south"]
COMMANDS = {
    "compare": [*FIT, *SITES, "--external", "south"],
    "monitor": [*SOUTH, "--order", "day"],
    "audit": SOUTH,
    "adapt": ["--prevalence", "0.3", "--no-label", "--no-site"],
    "apply": [],
    "plan": ["--width", "0.1"],
}


def main_button(page):
    """The work of the button that stands out."""
    (found,) = re.findall(r'formaction="/(\w+)"[^>]*class="main"', page)
    return found


@pytest.mark.parametrize("kind", COMMANDS)
def test_the_files_are_those_of_the_command(worked, kind, tmp_path):
    for name, content in worked.files("fit").items():
        (tmp_path / name).write_bytes(content)
    work, out = WORKS[kind], tmp_path / "out"
    inputs = [tmp_path / "rule.json"] if work.takes_rule else []
    table = worked.south if kind == "adapt" else worked.table
    inputs += [table] if work.takes_tables else ["--pilot", tmp_path / "study.json"]
    out.mkdir()
    place = out / work.out if kind == "apply" else out
    assert run([str(one) for one in (kind, *inputs, *COMMANDS[kind], "--out", place)]) == 0
    assert worked.files(kind) == snapshot(out)


@pytest.mark.parametrize("kind", WORKS)
def test_the_answer_comes_first_then_the_page(worked, kind):
    page = html.unescape(worked.results[kind])
    parts = ['class="status"', 'class="first"', 'class="next"', 'id="now"']
    places = [page.index(part) for part in parts]
    assert places == sorted(places)
    assert ('<iframe title="Report"' in page[places[-1] :]) == (kind != "apply")
    assert MARK not in page


def test_answers(worked):
    said = {kind: html.unescape(page) for kind, page in worked.results.items()}
    plan = json.loads(worked.files("plan")["plan.json"])
    assert f"{plan['powered'][0]['n_total']} patients, " in said["plan"]
    assert "No alarm: 30 patients" in said["monitor"]
    assert "of 90 patients called" in said["apply"]
    assert "No label confirms it, so nothing is certified here." in said["adapt"]
    compared = document(json.loads(worked.files("compare")["compare.json"]))
    assert said["compare"].count("<tr>") == 1 + len(compared.rows)
    assert "low cost, and steady if the study is repeated" in said["compare"]


def test_every_result_leads_to_the_next_work(worked):
    found = {kind: main_button(page) for kind, page in worked.results.items()}
    assert found["fit"] == "audit"
    assert found["apply"] == "audit"
    assert (found["compare"], found["plan"]) == ("fit", "fit")
    for kind in ("fit", "audit", "adapt", "apply", "monitor"):
        assert all(f'formaction="/{one}"' in worked.results[kind] for one in WORKS)
    assert 'formaction="/audit"' not in worked.results["compare"]


def test_a_refusal_names_the_field(worked):
    named = {k: re.search(r'data-named="(.*?)"', page)[1] for k, page in worked.refusals.items()}
    assert named["plan"] in {"width", "patients"}
    assert (named["compare"], named["monitor"]) == ("internal", "order")
    assert 'data-named=""' in worked.forms["fit"]


def test_a_form_takes_over_what_is_known(worked):
    assert 'name="internal" value="north"' in worked.forms["compare"]
    assert re.search(r'<option value="6"[^>]* selected>day', worked.forms["monitor"])
    again = worked.client.get(worked.begin("audit", "audit")).text
    assert re.search(r'name="sequential" value="on" checked', again)
    assert "Which column is what" in worked.forms["audit"]
    assert "Which column is what" not in worked.forms["plan"]
    # A plan has no table: what follows it takes that of the study.
    assert f'name="study" value="{worked.key("fit")}"' in worked.results["plan"]
    planned = worked.client.get(worked.begin("plan")).text
    assert f'<option value="{worked.key("fit")}" selected>' in planned
    after = worked.client.get(worked.begin("plan", "audit")).text
    risk = json.loads(worked.files("audit")["audit.json"])["risk_external"]
    assert f'name="risk" value="{risk:.4g}"' in after


def test_one_click_after_an_audit_adapts_with_the_same_patients(worked):
    place = worked.begin("adapt", "audit", own_tables=False)
    page = wait(worked.client, place).text
    assert "<h2>Keep</h2>" in page, re.findall(r'id="problem">.*', page) or page
    key = place.rpartition("/")[2]
    job, audit = worked.jobs.find(key), worked.jobs.find(worked.key("audit"))
    assert job.tables == audit.tables
    found = json.loads(job.result("adapt.json").read_bytes())
    n_patients = json.loads(worked.files("audit")["audit.json"])["n_patients"]
    assert found["labels"]["divided"] == "at random"
    assert found["n_patients"] + found["labels"]["n_patients"] == n_patients
    worked.jobs.remove(job)


def test_the_first_page_lists_each_rule_once(worked):
    adapted, rule = known_rules(worked.jobs)
    assert adapted.name == "Rule adapted on south.csv"
    decision = json.loads(worked.files("audit")["audit.json"])["verdict"]["decision"]
    threshold = json.loads(worked.files("fit")["rule.json"])["threshold"]
    assert worked.home.count('class="card"') == 3
    assert f'value="{worked.key("adapt")}" checked' in worked.home
    assert rule.cut_off == f"Cut-off {threshold:.4g} on “score”"
    assert f"Last audit: {rule.verdict.text}" in worked.home
    assert rule.verdict.text == decision


def sentence(page):
    """The sentence with which a form refuses."""
    (line,) = re.findall(r'id="problem"><p class="status">refused</p><p>(.*?)</p>', page)
    return html.unescape(line)


@pytest.mark.parametrize("kind", WORKS)
def test_what_is_wrong_is_one_sentence_and_nothing_is_left(worked, kind):
    assert sentence(worked.refusals[kind]).endswith(".")
    place = worked.wrong[kind]
    for name in WORKS[kind].results:
        assert worked.client.get(f"{place}/files/{name}").status_code == 404
    assert worked.client.get(f"{place}/page").status_code == 404
    job = worked.jobs.find(place.rpartition("/")[2])
    assert list((job.folder / "results").iterdir()) == []


def test_the_sentences_name_the_fields(worked):
    said = {kind: sentence(page) for kind, page in worked.refusals.items()}
    assert said["compare"] == "“Sites to choose on” must be filled in; it is empty."
    assert said["monitor"] == "“When a row came in” must be filled in; it is empty."
    assert said["adapt"] == (
        "“Share of ill patients” must be a share between 0 and 1; got 30. For 30 % give 0.3."
    )
    assert "“How far the promise may lie above it” or “Number of patients”" in said["plan"]


FILE = {"file_name": "rule.json"}


@pytest.mark.parametrize(
    ("kind", "step", "work"),
    [
        ("audit", {"verb": "monitor", "why": "good", **FILE}, "monitor"),
        ("apply", {"verb": "audit", "why": "decisions", **FILE}, "audit"),
        ("audit", {"verb": "label", "why": "no labels"}, "audit"),
        ("audit", {"verb": "monitor", "why": "watch", **FILE}, "monitor"),
        ("audit", {"verb": "fit", "why": "unlike before", "local": "fit"}, "fit"),
        ("audit", {"verb": "adapt", "why": "unlike before", "local": "adapt", **FILE}, "adapt"),
        ("audit", {"verb": "check", "why": "unit"}, "audit"),
        ("monitor", {"verb": "monitor", "why": "too close", "first": "go on"}, "monitor"),
        ("monitor", {"verb": "audit", "why": "alarm", "local": "adapt", **FILE}, "audit"),
    ],
)
def test_the_next_step_follows_the_result(kind, step, work):
    page = SimpleNamespace(step=step_of(NextStep(**step)))
    found, text = next_step(SimpleNamespace(kind=kind), page)
    assert found == work
    assert text.startswith("Next: ")
    assert not re.search("steadycut|--|TABLE|COL|DIR", text)


@pytest.mark.parametrize("why", list(WORDS))
def test_every_next_step_has_a_sentence_that_names_no_option_in_the_app(why):
    step = NextStep(verb="audit", why=why, file_name="a/rule.json", local="adapt", otherwise="stop")
    for spelling in (APP, PYTHON, COMMAND_LINE):
        assert step_of(step).spelled(spelling).startswith("Next: ")
    assert not re.search("steadycut|--|TABLE|COL|DIR", step_of(step).spelled(APP))


def test_a_study_that_was_removed_is_not_planned_with(client, table):
    fit = start(client, upload(client, table), **FILLED)
    wait(client, fit)
    key = fit.rpartition("/")[2]
    answer = client.post("/plan", data={"study": key}, follow_redirects=False)
    client.post(f"{fit}/remove")
    place = answer.headers["location"]
    refusal = client.post(f"{place}/run", data={"pilot": key, "width": "0.1"})
    assert (refusal.status_code, "not here any more" in refused(refusal)) == (409, True)
    assert client.get(f"{place}/status").json()["state"] == "new"


def test_a_rule_is_picked_or_uploaded_but_not_both(worked):
    rule = ("r.json", worked.files("fit")["rule.json"])
    files = [("rule", rule), ("tables", (worked.table.name, worked.table.read_bytes()))]
    data = {"study": worked.key("fit")}
    answer = worked.client.post("/monitor", data=data, files=files)
    assert (answer.status_code, "Leave the others out" in refused(answer)) == (400, True)


# Sites of an audit ----------------------------------------------------------------------------


def offered(page):
    """The sites that the form of an audit offers."""
    return json.loads(html.unescape(re.search(r"data-values='([^']*)' selected>site", page)[1]))


def test_an_uploaded_rule_and_table_offer_only_new_sites(client, worked, tmp_path):
    rows = [["west" if row[0] == "south" else row[0], *row[1:]] for row in make_rows(seed=3)]
    table = write_rows(tmp_path / "new.csv", rows)
    rule = ("r.json", worked.files("fit")["rule.json"])
    answer = upload(client, table, to="/audit", rule=rule)
    form = client.get(answer.headers["location"]).text
    assert offered(form) == ["west"]
    assert "does not say at which sites" not in form
    page = wait(client, start(client, answer, label="5", site="0"))
    assert "--external=others" in page.text
    assert "Rule used in “Audit on new.csv”" in client.get("/").text


def test_a_table_of_known_sites_alone_is_refused(client, worked, tmp_path):
    rows = [row for row in make_rows() if row[0] == "north"]
    table = write_rows(tmp_path / "north.csv", rows)
    rule = ("r.json", worked.files("fit")["rule.json"])
    answer = upload(client, table, to="/audit", rule=rule)
    assert offered(client.get(answer.headers["location"]).text) == []
    page = wait(client, start(client, answer, label="5", site="0"))
    assert refused(page)
    assert "--" not in refused(page)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["strata", "--costs", "0,0.25,1;4,1,0"], "strata.json"),
        (["covariate", "--covariate", "site"], "covariate.json"),
    ],
)
def test_a_rule_without_sites_says_so(client, table, tmp_path, command, name):
    arguments = [command[0], str(table), *FIT, *command[1:], "--out", str(tmp_path / "o")]
    assert run(arguments) == 0
    rule = (name, (tmp_path / "o" / name).read_bytes())
    answer = upload(client, table, to="/audit", rule=rule)
    place = answer.headers["location"]
    form = client.get(place).text
    assert "This rule does not say at which sites it was made." in form
    assert offered(form) == ["north", "south"]
    start(client, answer, label="5", site="0", external="south")
    assert "<h2>Keep</h2>" in wait(client, place).text
    assert client.get("/").text.count('<label class="card">') == 1


def test_a_watch_offers_all_sites_of_new_patients_only(client, worked):
    assert offered(worked.forms["monitor"]) == ["south"]
    rule = ("r.json", worked.files("fit")["rule.json"])
    answer = upload(client, worked.table, to="/monitor", rule=rule)
    assert offered(client.get(answer.headers["location"]).text) == ["north", "south"]


@pytest.mark.parametrize("kind", ["audit", "monitor"])
def test_a_rule_is_not_judged_on_the_patients_it_was_made_from(worked, kind):
    place = worked.begin(kind)
    answer = worked.client.post(f"{place}/run", data={"label": "5", "order": "6"})
    assert "the patients that the rule was made from" in refused(answer)
    assert worked.client.get(f"{place}/status").json()["state"] == "new"
    again = worked.client.get(worked.begin(kind, "apply")).text
    assert offered(again) == ["south"]


def test_no_form_takes_over_that_refusals_are_overruled(worked):
    place = worked.begin("audit")
    forced = {"label": "5", "site": "0", "external": "west", "force": "on", "missing": "drop"}
    worked.run(place, **forced)
    worked.places["forced"] = place
    form = worked.client.get(worked.begin("audit", "forced")).text
    assert 'name="external" value="west"' in form
    assert not re.search(r'name="force" value="on" checked', form)
    assert re.search(r'<option value="refuse" selected', form)


@pytest.mark.parametrize("name", ["prevalence", "prevalence_there", "target_prevalence"])
def test_percentages_are_shares(name):
    fields = [Field(name=name, option=f"--{name}")]
    for text, share in {"8 %": "0.08", "5%,12.5%": "0.05,0.125", "0.08": "0.08", "8": "8"}.items():
        assert arguments({name: [text]}, fields, ()) == [f"--{name}={share}"]


def test_a_list_of_patients_to_label_is_downloaded_filled_in_and_given_back(worked):
    place = worked.begin("adapt")
    asked = {"prevalence": "30 %", "worklist": "10", "label": "5"}
    said = html.unescape(worked.run(place, **asked))
    assert "Label 10 patients: 5 at random, who may certify" in said
    assert "upload it below with “Adapt to this hospital”" in said
    assert (main_button(said), "<iframe" in said, "adapt.json" in said) == ("adapt", False, False)
    written = worked.client.get(f"{place}/files/worklist.csv").text.splitlines()
    rows = [f"{row}{number % 3 // 2}" for number, row in enumerate(written[1:])]
    filled = "\n".join([written[0], *rows]).encode()
    # The table of the list is taken again, with the prevalence that was stated.
    answer = worked.client.post(
        "/adapt",
        data={"study": place.rpartition("/")[2]},
        files=[("tables", ("worklist.csv", filled))],
        follow_redirects=False,
    )
    back = answer.headers["location"]
    form = html.unescape(worked.client.get(back).text)
    assert "The labels are those of the list" in form
    assert 'name="label"' not in form
    assert 'name="prevalence" value="30 %"' in form
    done = worked.run(back, prevalence="30 %")
    assert "<h2>Keep</h2>" in done
    found = json.loads(worked.client.get(f"{back}/files/adapt.json").content)
    assert (found["labels"]["n_patients"], found["labels"]["n_choosing"]) == (5, 5)
    assert found["prevalence"] == [0.3, 0.3]


def test_a_list_with_nothing_filled_in_is_refused_in_one_line(worked):
    files = [
        ("tables", (worked.south.name, worked.south.read_bytes())),
        ("tables", ("list.csv", b"patient,purpose,label\r\nsouth0,certify,\r\n")),
    ]
    answer = worked.client.post(
        "/adapt", data={"study": worked.key("fit")}, files=files, follow_redirects=False
    )
    said = html.unescape(worked.run(answer.headers["location"]))
    assert "no label is filled in list.csv" in said


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (("south.csv",), "the files must have different names"),
        (("a.csv", "b.csv"), "one list of labels must be given"),
    ],
)
def test_a_list_never_takes_the_place_of_a_table_and_none_is_ignored(names, says, worked):
    quoted = b'"patient","purpose","label"\r\n"south0","certify","1"\r\n'
    files = [("tables", (worked.south.name, worked.south.read_bytes()))]
    files += [("tables", (name, quoted)) for name in names]
    answer = worked.client.post("/adapt", data={"study": worked.key("fit")}, files=files)
    assert answer.status_code == 400
    assert says in html.unescape(answer.text)
