"""The commands of the page run on small files in the exact layouts of other tools."""

import json
import re
import shlex
from importlib.util import find_spec

import pytest

from tests.cli.commands import run_command
from tests.docs import tool_files
from tests.docs.test_pages import text_of

COMMANDS = re.findall(
    r"^steadycut (fit .+ --out out/\w+)$", text_of("coming_from.md"), re.MULTILINE
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files of all tools."""
    made = tmp_path_factory.mktemp("tools")
    for make in tool_files.MAKERS:
        make(made)
    if find_spec("pyreadstat"):
        tool_files.statistics(made)
    return made


def test_the_page_has_a_command_for_every_tool():
    assert len(COMMANDS) == 13


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.rpartition("/")[2])
def test_one_command_leads_from_the_files_to_a_report(command, folder, monkeypatch, capsys):
    if " cohort." in command:
        pytest.importorskip("pyreadstat", reason="the extra stats is not installed")
    monkeypatch.chdir(folder)
    words = shlex.split(command)
    ran = run_command(capsys, *words)
    assert ran.code == 0, ran.err
    study = json.loads((folder / words[-1] / "study.json").read_bytes())
    assert study["patients"]["total"] == tool_files.PATIENTS
    assert study["verdict"]["useful"] == "yes"
    assert (folder / words[-1] / "report.html").stat().st_size > 0
    if "--sheet" in words:
        assert re.search("joined by .* the sheet gives .*'patient'", ran.err)
