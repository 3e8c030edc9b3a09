"""Every kind of frozen file: the one place where a new kind is entered.

All is given by names, and nothing is imported here. So the list of commands and `import steadycut`
can ask for the kinds without loading any. What a kind does is in its frozen class
(`steadycut.documents.frozen.FrozenFile`).
"""

from types import SimpleNamespace


class Kind(SimpleNamespace):
    """One kind of frozen file, and what belongs to it.

    Parameters
    ----------
    schema
        What its files name as their schema; they are called after it, as `file_name_of` says.
    rule, study
        The class of its files and the document of its studies, as ``module:class`` in `documents`.
    page
        The module in ``show.pages`` whose function ``<module>_page`` makes the page of a study.
        None for the page that every study can have.
    page_name
        What that page is called, without an ending.
    command, line
        The command that makes it, a module of its own in ``cli``, and its line in the help.
    fitted
        The class of a study, as ``module:name``.
    """

    schema: str
    rule: str
    study: str
    page: str | None = None
    page_name: str
    command: str
    line: str
    fitted: str

    @property
    def file_name(self) -> str:
        """What its files are called in a folder."""
        return file_name_of(self.schema)


def file_name_of(schema: str) -> str:
    """Return what files with a schema are called in a folder.

    Examples
    --------
    >>> file_name_of("steadycut.strata/1")
    'strata.json'
    """
    return f"{schema.partition('.')[2].partition('/')[0]}.json"


# The first one is the cut-off.
KINDS = [
    Kind(
        schema="steadycut.rule/1",
        rule="rule:FrozenRule",
        study="study:StudyDocument",
        page="study",
        page_name="report",
        command="fit",
        line="Choose, freeze and certify one patient-level cut-off.",
        fitted="study.fit:Study",
    ),
    Kind(
        schema="steadycut.strata/1",
        rule="strata:StrataRule",
        study="strata:StrataStudyDocument",
        page="strata",
        page_name="strata",
        command="strata",
        line="Choose ordered risk strata, or rule out and rule in (experimental).",
        fitted="study.strata:StrataStudy",
    ),
    Kind(
        schema="steadycut.covariate/1",
        rule="covariate:CovariateRule",
        study="covariate:CovariateStudyDocument",
        page="covariate",
        page_name="covariate",
        command="covariate",
        line="Choose cut-offs that depend on a group or a number (experimental).",
        fitted="study.covariate:CovariateStudy",
    ),
]


def file_names() -> str:
    """Return what the files of all kinds are called, as a list in words.

    Examples
    --------
    >>> file_names()
    'rule.json, strata.json or covariate.json'
    """
    *first, last = (kind.file_name for kind in KINDS)
    return f"{', '.join(first)} or {last}"


def commands(*kinds: Kind) -> dict[str, tuple[str, str]]:
    """Return the commands of some kinds: the module of each, and its line in the help."""
    return {kind.command: (f"cli.{kind.command}", kind.line) for kind in kinds}
