"""Check the words of README, of every page under docs, the gallery included, and of the notes.

It lists sentences of more than 35 words, words that `CONTRIBUTING.md` tells us not to use, guides
of more than 900 words, and a README of more than 700. Code, outputs and links are not looked at.
Theory pages and Evidence may use the names of the paper (`PAPER_WORDS`). The changelog is not
checked: it is a record of past versions. The exit code is 1 if anything is found.

Run: python scripts/check_words.py [--count] [PAGE...]
"""

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from write_pages import notes

REPOSITORY = Path(__file__).resolve().parent.parent
DOCS = REPOSITORY / "docs"
WORD_LIST = REPOSITORY / "CONTRIBUTING.md"
README = REPOSITORY / "README.md"
LONGEST_SENTENCE = 35
LONGEST_PAGE = {"README.md": 700, "guide": 900}
# Made by Sphinx, and the changelog.
NOT_CHECKED = ("_build", "api", "examples", "changelog.md")
# Pages on which the names of the paper are allowed: theory, and what `validation.md` lists.
PAPER_PAGES = {
    "theory",
    "evidence",
    "transport",
    "reliability",
    "speed",
    "paper",
    "DECISIONS",
    "notes",
}
PAPER_WORDS = {
    "vacuous",
    "generalisation",
    "generalization",
    "flip",
    "flips",
    "flipped",
    "flip-rate",
}
# What stands for code in a sentence: one word.
CODE = "CODE"
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')]*\s+")
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|vs|et al|Fig|No)\.", re.ASCII)


def pages() -> list[Path]:
    """Return the pages that are checked: README, the notes, all written pages under docs."""
    written = [page for page in sorted(DOCS.rglob("*.md")) if is_written(page)]
    return [README, *notes(), *written, *sorted(DOCS.glob("gallery/*.py"))]


def is_written(page: Path) -> bool:
    """Tell whether somebody wrote this page for readers of today."""
    return page.relative_to(DOCS).parts[0] not in NOT_CHECKED


def has_paper_words(page: Path) -> bool:
    """Tell whether a page may use the names of the paper.

    Examples
    --------
    >>> [has_paper_words(DOCS / name) for name in ("theory/bounds.md", "transport.md", "index.md")]
    [True, True, False]
    """
    return page.parent.name in PAPER_PAGES or page.stem in PAPER_PAGES


def text_of(page: Path) -> str:
    """Return the text of a page; of a gallery example what it says beside its code."""
    text = page.read_text(encoding="utf-8")
    return gallery_text(text) if page.suffix == ".py" else text


def gallery_text(source: str) -> str:
    r"""Return the title and the comments of an example, each on its line.

    Examples
    --------
    >>> gallery_text('\"\"\"\nTitle\n\"\"\"\n\n# %%\n# Some words.\nx = 1  # code\n')
    '\nTitle\n\n\n\nSome words.\n'
    """
    title, _, code = source.removeprefix('"""').partition('"""')
    lines = [
        line.removeprefix("#").strip() if line.startswith("# ") and line != "# %%" else ""
        for line in code.splitlines()
    ]
    return title + "\n".join(lines)


def inline_text(token: Token) -> str:
    """Return the words of a paragraph, without code and without the targets of links."""
    parts = []
    for child in token.children or []:
        match child.type:
            case "text":
                parts.append(child.content)
            case "code_inline":
                parts.append(CODE)
            case "softbreak" | "hardbreak":
                parts.append(" ")
            case "image":
                parts.append(child.content)
    return "".join(parts)


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    r"""Yield each paragraph, heading, list item and table cell of a page, with its line.

    Examples
    --------
    >>> list(paragraphs("# One `x`\n\n    code\n\n- [two](a.md)\n"))
    [(1, 'One CODE'), (5, 'two')]
    """
    line = 1
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.map is not None:
            line = token.map[0] + 1
        if token.type == "inline":
            yield line, inline_text(token)


def sentences(text: str) -> list[str]:
    """Divide a paragraph into sentences.

    Examples
    --------
    >>> sentences("It ends. Does it? Yes, e.g. here: it does.")
    ['It ends.', 'Does it?', 'Yes, e.g. here: it does.']
    """
    whole = ABBREVIATION.sub(lambda found: found[0].replace(".", "\0"), text)
    return [part.replace("\0", ".") for part in SENTENCE_END.split(whole) if part.strip()]


def n_words(text: str) -> int:
    """Count words; signs between words do not count.

    Examples
    --------
    >>> n_words("wrong in 21 of 100 patients - or more")
    8
    """
    return sum(any(letter.isalnum() for letter in word) for word in text.split())


def banned_words(glossary: str) -> dict[str, str]:
    r"""Return each word that must not be used, with what to say instead.

    Examples
    --------
    >>> banned_words("| do not write | write |\n|---|---|\n| `mend`, `mends` | fix |\n")
    {'mend': 'fix', 'mends': 'fix'}
    """
    _, _, table = glossary.partition("| do not write | write |\n")
    found = {}
    for row in table.splitlines()[1:]:
        if not row.startswith("|"):
            break
        words, instead = row.strip("| ").split(" | ")
        found.update(dict.fromkeys(re.findall(r"`([^`]+)`", words), instead))
    return found


def banned_in(text: str, banned: Iterable[str]) -> list[str]:
    """Return the banned words of a text, in any case but only as whole words.

    Examples
    --------
    >>> banned_in("Mend it; a flip-flop may amend it.", ["mend", "flip"])
    ['mend']
    """
    return [
        word
        for word in banned
        if re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text, re.IGNORECASE)
    ]


def faults(page: Path, banned: dict[str, str]) -> Iterator[str]:
    """Yield what is wrong on a page, one line per fault."""
    text = text_of(page)
    allowed = PAPER_WORDS if has_paper_words(page) else set()
    name = page.relative_to(REPOSITORY).as_posix() if page.is_relative_to(REPOSITORY) else page.name
    for line, paragraph in paragraphs(text):
        for sentence in sentences(paragraph):
            if n_words(sentence) > LONGEST_SENTENCE:
                yield f"{name}:{line}: {n_words(sentence)} words in a sentence: {sentence[:70]}..."
        for word in banned_in(paragraph, [word for word in banned if word not in allowed]):
            yield f'{name}:{line}: "{word}": write "{banned[word]}"'
    limit = LONGEST_PAGE.get(page.name, LONGEST_PAGE.get(page.parent.name))
    if limit is not None and (count := words_of(text)) > limit:
        yield f"{name}: {count} words; at most {limit}"


def words_of(text: str) -> int:
    """Count the words of a page without its code."""
    return sum(n_words(paragraph) for _, paragraph in paragraphs(text))


def main(arguments: list[str]) -> int:
    """Check the pages that are named, or all that have to keep to these rules."""
    named = [Path(word).resolve() for word in arguments if word != "--count"]
    if "--count" in arguments:
        for page in named or pages():
            print(f"{words_of(text_of(page)):>6}  {page.name}")
        return 0
    banned = banned_words(WORD_LIST.read_text(encoding="utf-8"))
    found = [fault for page in named or pages() for fault in faults(page, banned)]
    print("\n".join(found) if found else "The words of README and docs are in order.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
