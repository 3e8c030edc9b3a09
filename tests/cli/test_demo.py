"""``steadycut demo``: the whole story, offline, in a folder."""

import json
import re
import shlex
from html import unescape
from pathlib import Path

import pytest

from benchmarks.studies import demo as study
from steadycut.cli.demo import demo_command
from steadycut.documents.reading import read_document
from steadycut.show.pages.kinds import kind_of
from steadycut.show.words.story import STORY
from tests.cli.commands import run_command, snapshot

FILES = [
    *(f"adapted_b/{name}" for name in ("adapt.html", "adapt.json", "rule.json")),
    *(f"{part}/audit.{kind}" for part in study.AUDITS for kind in ("html", "json")),
    *("hospital_b.csv", "hospital_b_later.csv", "hospital_c.csv", "index.html", "report.html"),
    *("rule.json", "study.json", "two_hospitals.csv", "watch_b/monitor.html"),
    "watch_b/monitor.json",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("demo") / "out put"
    demo_command(out=path)
    return path


def result(folder, step):
    """The content of the JSON file beside the page of a step."""
    name = step.page.replace("report", "study").replace(".html", ".json")
    return json.loads((folder / step.key / name).read_bytes())


def test_it_prints_a_line_per_step_and_names_the_page(tmp_path, capsys):
    ran = run_command(capsys, "demo", "--out", tmp_path / "d")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert len(lines) == len(STORY) + 1
    assert max(map(len, lines[:-1])) <= 110
    for step, line in zip(STORY, lines, strict=False):
        assert line.strip().startswith(step.title)
    assert [word for word in ("ADAPT", "USE AND WATCH", "No alarm", "USE:") if word in ran.out]
    assert lines[-1] == f"Open {tmp_path / 'd' / 'index.html'}"


def test_it_writes_everything_without_a_warning(folder):
    written = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    assert sorted(written) == sorted(FILES)
    assert all(not result(folder, step).get("warnings") for step in STORY)


def test_the_first_page_links_all_others_and_its_commands_do_the_same(folder, capsys):
    text = (folder / "index.html").read_text("utf-8")
    links = re.findall(r'<a href="([^"]+)"', text)
    assert [(folder / link).is_file() for link in links] == [True] * len(STORY)
    commands = [unescape(command) for command in re.findall(r"<pre[^>]*>(.*?)</pre>", text)]
    before = snapshot(folder)
    for step, command in zip(STORY, commands, strict=True):
        ran = run_command(capsys, *shlex.split(command)[1:])
        assert ran.code == 0, ran.err
        assert f"Wrote {step.page.replace('html', 'json')}" in ran.out or step.page in ran.out
    assert snapshot(folder) == before


def test_verbose_prints_the_pages_too(tmp_path, capsys):
    ran = run_command(capsys, "demo", "--verbose", "--out", tmp_path / "d")
    for text in ("The certificate: ", "An audit of ", "A frozen rule in use", "index.html"):
        assert text in ran.out


def test_json_is_one_object_and_equals_the_files(tmp_path, capsys):
    ran = run_command(capsys, "demo", "--json", "--out", tmp_path / "d")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json == {step.key: result(tmp_path / "d", step) for step in STORY}


def test_another_study_is_not_replaced_and_nothing_is_left(tmp_path, capsys):
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "index.html").write_text("mine")
    ran = run_command(capsys, "demo", "--out", tmp_path / "d")
    assert (ran.code, "holds results of another study" in ran.err) == (2, True)
    assert [path.name for path in (tmp_path / "d").rglob("*")] == ["index.html"]


def test_the_seed_is_typical(folder):
    """Every number that is shown lies in the middle half of those of 100 seeds, as stored."""
    stored = json.loads(Path(study.RESULT).read_bytes())
    seeds = {hospital.name: hospital.seed for hospital in study.HOSPITALS}
    assert (stored["typical"], stored["seeds"]) == (seeds, 100)
    for step in STORY:
        content = result(folder, step)
        document = read_document(kind_of(content).document, content, step.key)
        values, words = study.numbers_of(step.key, document), study.words_of(step.key, document)
        known = stored["numbers"], stored["decisions"]
        assert study.in_middle(step.key, values, words, *known), (step.title, values)
    assert sum(part["low"] < part["high"] for part in stored["numbers"].values()) > 10
