"""The page of the rerun: blocks filled, figures and links there, and the script that fills it."""

import importlib.util
import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = REPOSITORY / "paper" / "rerun.md"
SCRIPT = REPOSITORY / "scripts" / "write_paper_rerun.py"


@pytest.fixture
def script():
    spec = importlib.util.spec_from_file_location("write_paper_rerun", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_block_is_filled():
    blocks = re.findall(
        r"<!-- ([\w-]+) -->\n(.*?)<!-- end of \1 -->", PAGE.read_text(encoding="utf-8"), re.DOTALL
    )
    names = {name for name, _ in blocks}
    assert names >= {"figure-1", "figure-2", "figure-s1", "table"}
    assert all("Of " in text and " replicates" in text for _, text in blocks)


def test_every_link_leads_somewhere():
    links = re.findall(r"\]\(([^)#]+)\)", PAGE.read_text(encoding="utf-8"))
    assert [link for link in links if not (PAGE.parent / link).exists()] == []


def test_the_whole_result_of_every_block_is_stored(script):
    blocks = re.findall(
        r"<!-- ([\w-]+) -->\n(.*?)\n<!-- end of \1 -->", PAGE.read_text(encoding="utf-8"), re.DOTALL
    )
    for name, shown in blocks:
        whole = (script.RESULTS / f"{name}.md").read_text(encoding="utf-8")
        assert script.short_form(whole) == shown
        assert len(whole) > len(shown)


def test_the_script_fills_a_block_and_leaves_the_others(script, tmp_path, monkeypatch):
    paper, folder = tmp_path / "paper", tmp_path / "rerun"
    results = tmp_path / "results"
    (paper / "figures").mkdir(parents=True)
    folder.mkdir()
    page = paper / "rerun.md"
    page.write_text(
        "a\n<!-- one -->\nold\n<!-- end of one -->\n<!-- two -->\n<!-- end of two -->\n"
    )
    (folder / "one.md").write_text("# Title\n\nnew\n\nCost table\n\n| Loss | (1, 1) |\n")
    (folder / "figure-9.png").write_bytes(b"png")
    monkeypatch.setattr(script, "PAPER", paper)
    monkeypatch.setattr(script, "RESULTS", results)
    assert script.main([str(folder)]) == 0
    assert page.read_text() == (
        "a\n<!-- one -->\nnew\n<!-- end of one -->\n<!-- two -->\n<!-- end of two -->\n"
    )
    assert (results / "one.md").read_text() == (folder / "one.md").read_text()
    assert (paper / "figures" / "figure-9.png").read_bytes() == b"png"
    assert script.main([]) == 2
