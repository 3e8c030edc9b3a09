"""The site stays short: pages, words and sentences are counted."""

from scripts import count_pages
from scripts.count_pages import PageCount, count, faults, main
from scripts.write_pages import DOCS


def test_the_site_is_within_its_limits(capsys):
    assert main([]) == 0, capsys.readouterr().out


def test_code_and_comments_do_not_count(tmp_path, monkeypatch):
    monkeypatch.setattr(count_pages, "DOCS", tmp_path)
    page = tmp_path / "a.md"
    page.write_text("# Two words\n\n<!-- no word -->\n\n```\nno word\n```\n\nThree more words.\n")
    assert count(page) == PageCount(name="a.md", words=5, longest=3)


def test_each_broken_limit_is_named(monkeypatch):
    monkeypatch.setattr(count_pages, "MOST_PAGES", 1)
    monkeypatch.setattr(count_pages, "MOST_WORDS", 10)
    counts = [PageCount(name=name, words=9, longest=9) for name in ("a.md", "b.md")]
    assert faults(counts) == ["2 pages; at most 1: merge two", "18 words; at most 10: cut some"]
    assert faults(counts[:1]) == []


def test_the_list_names_each_page(capsys):
    main(["--list"])
    assert "quickstart.md" in capsys.readouterr().out
    assert count(DOCS / "quickstart.md").words > 100
