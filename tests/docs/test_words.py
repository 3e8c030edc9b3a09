"""README, tutorials and guides use short sentences and the words of the glossary."""

import pytest

from scripts.check_words import (
    GLOSSARY,
    LONGEST_SENTENCE,
    banned_words,
    faults,
    main,
    pages,
    sentences,
)

BANNED = banned_words(GLOSSARY.read_text(encoding="utf-8"))


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


def test_the_pages_are_those_that_readers_start_with():
    names = {page.name for page in pages()}
    assert {"README.md", "quickstart.md", "tutorial_clinician.md", "verdict.md"} <= names


def test_the_glossary_bans_the_words_that_nobody_understood():
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
