"""README and all pages of docs use short sentences and the words of the glossary."""

import pytest

from scripts.check_words import (
    LONGEST_SENTENCE,
    PAPER_WORDS,
    WORD_LIST,
    banned_words,
    faults,
    main,
    pages,
    sentences,
)

BANNED = banned_words(WORD_LIST.read_text(encoding="utf-8"))


@pytest.fixture
def found(tmp_path):
    """List the faults of a guide with the text given."""

    def listed(text):
        page = tmp_path / "guide" / "page.md"
        page.parent.mkdir(exist_ok=True)
        page.write_text(text, encoding="utf-8")
        return list(faults(page, BANNED))

    return listed


def test_the_pages_are_in_order(capsys):
    assert main([]) == 0, capsys.readouterr().out


def test_the_pages_are_all_that_somebody_wrote():
    names = {page.name for page in pages()}
    assert {"README.md", "quickstart.md", "tutorial_clinician.md", "verdict.md"} <= names
    assert {
        "DECISIONS.md",
        "rerun.md",
        "stability.md",
        "aggregators.md",
        "plot_2_costs.py",
    } <= names
    assert "changelog.md" not in names
    assert not any({"_build", "api", "examples"} & set(page.parts) for page in pages())


def test_only_theory_and_evidence_may_use_the_names_of_the_paper(tmp_path):
    pages_of = {
        name: tmp_path / name
        for name in ("theory/x.md", "evidence/x.md", "reliability.md", "guide/x.md")
    }
    for page in pages_of.values():
        page.parent.mkdir(exist_ok=True)
        page.write_text("Flips are dearer.", encoding="utf-8")
    found = {name: len(list(faults(page, BANNED))) for name, page in pages_of.items()}
    assert found == {"theory/x.md": 1, "evidence/x.md": 1, "reliability.md": 1, "guide/x.md": 2}
    assert set(BANNED) >= PAPER_WORDS


def test_the_gallery_is_read_without_its_code(tmp_path):
    page = tmp_path / "plot_1.py"
    page.write_text('"""\nA title\n=======\n"""\n\n# %%\n# Please mend.\nx = "dearer"  # mend\n')
    assert list(faults(page, BANNED)) == ['plot_1.py:7: "mend": write "fix"']


def test_the_list_bans_the_words_that_nobody_understood():
    assert {"vacuous", "generalisation", "flips", "ge", "le", "of any use", "dearer"} <= set(BANNED)


def test_a_banned_word_is_found_outside_of_code_only(found):
    assert found("It is vacuous.") == [f'page.md:1: "vacuous": write "{BANNED["vacuous"]}"']
    assert found("It is `vacuous`.\n\n    vacuous\n\n```\nvacuous\n```\n") == []
    assert found("An evacuous word, a lever, a merge.") == []


def test_a_banned_word_is_found_in_tables_and_headings(found):
    assert len(found("# Flips\n\n| a | b |\n|---|---|\n| dearer | x |\n")) == 2


def test_a_long_sentence_is_found(found):
    allowed = "word " * (LONGEST_SENTENCE - 1) + "end."
    assert found(allowed) == []
    assert "36 words" in found(f"more {allowed}")[0]
    assert found(f"{allowed} {allowed}") == []


def test_a_long_guide_is_found(found):
    assert found("Two words. " * 450) == []
    assert found("Two words. " * 451) == ["page.md: 902 words; at most 900"]


def test_numbers_do_not_end_a_sentence():
    assert sentences("It is 0.5 of 1. Then more.") == ["It is 0.5 of 1.", "Then more."]


def test_main_says_what_is_wrong(tmp_path, capsys):
    (tmp_path / "page.md").write_text("Please mend it.", encoding="utf-8")
    assert main([str(tmp_path / "page.md")]) == 1
    assert 'page.md:1: "mend": write "fix"' in capsys.readouterr().out
    assert main(["--count", str(tmp_path / "page.md")]) == 0
    assert capsys.readouterr().out.split() == ["3", "page.md"]
