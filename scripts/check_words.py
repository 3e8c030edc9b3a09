"""Check the words of README, tutorials and how-to guides.

It lists sentences of more than 35 words, words that `docs/glossary.md` tells us not to use, guides
of more than 900 words, and a README of more than 700. Code, outputs and links are not looked at.
The exit code is 1 if anything is found.

Run: python scripts/check_words.py [--count] [PAGE...]
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

REPOSITORY = Path(__file__).resolve().parent.parent
DOCS = REPOSITORY / "docs"
GLOSSARY = DOCS / "glossary.md"
README = REPOSITORY / "README.md"
LONGEST_SENTENCE = 35
LONGEST_PAGE = {"README.md": 700, "guide": 900}
TUTORIALS = ("index", "quickstart", "tutorials", "tutorial_clinician", "tutorial_data_scientist")
# What stands for code in a sentence: one word.
CODE = "CODE"
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')]*\s+")
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|vs|et al|Fig|No)\.", re.ASCII)


def pages() -> list[Path]:
    """Return the pages that are checked: those that readers start with."""
    tutorials = [DOCS / f"{name}.md" for name in TUTORIALS]
    return [
        README,
        *(page for page in tutorials if page.exists()),
        *sorted(DOCS.glob("guide/*.md")),
    ]


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


def faults(page: Path, banned: dict[str, str]) -> Iterator[str]:
    """Yield what is wrong on a page, a line each."""
    text = page.read_text(encoding="utf-8")
    name = page.relative_to(REPOSITORY).as_posix() if page.is_relative_to(REPOSITORY) else page.name
    for line, paragraph in paragraphs(text):
        for sentence in sentences(paragraph):
            if n_words(sentence) > LONGEST_SENTENCE:
                yield f"{name}:{line}: {n_words(sentence)} words in a sentence: {sentence[:70]}..."
        for word, instead in banned.items():
            if re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", paragraph, re.IGNORECASE):
                yield f'{name}:{line}: "{word}": write "{instead}"'
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
            print(f"{words_of(page.read_text(encoding='utf-8')):>6}  {page.name}")
        return 0
    banned = banned_words(GLOSSARY.read_text(encoding="utf-8"))
    found = [fault for page in named or pages() for fault in faults(page, banned)]
    print("\n".join(found) if found else "The words of README, tutorials and guides are in order.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
