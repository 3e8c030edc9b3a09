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
    schema, file_name
        What its files name as their schema, and what they are called in a folder.
    rule, study
        The class of its files and the document of its studies, as ``module:class`` in `documents`.
    page
        The module in ``show.pages`` whose function ``<module>_page`` makes the page of a study.
        None for the page that every study can have.
    page_name
        What that page is called, without an ending.
    command, line
        The command that makes it, a module of its own in ``cli``, and its line in the help.
    fit, fitted
        The function that makes a study and the class of the study, as ``module:name``.
    """

    schema: str
    file_name: str
    rule: str
    study: str
    page: str | None = None
    page_name: str
    command: str
    line: str
    fit: str
    fitted: str


# The first one is the cut-off.
KINDS = [
    Kind(
        schema="steadycut.rule/1",
        file_name="rule.json",
        rule="rule:FrozenRule",
        study="study:StudyDocument",
        page="study",
        page_name="report",
        command="fit",
        line="Choose, freeze and certify one patient-level cut-off.",
        fit="study.fit:fit",
        fitted="study.fit:Study",
    ),
    Kind(
        schema="steadycut.strata/1",
        file_name="strata.json",
        rule="strata:StrataRule",
        study="strata:StrataStudyDocument",
        page="strata",
        page_name="strata",
        command="strata",
        line="Choose ordered risk strata, or rule out and rule in.",
        fit="study.strata.fit:fit_strata",
        fitted="study.strata.fitted:StrataStudy",
    ),
    Kind(
        schema="steadycut.covariate/1",
        file_name="covariate.json",
        rule="covariate:CovariateRule",
        study="covariate:CovariateStudyDocument",
        page="covariate",
        page_name="covariate",
        command="covariate",
        line="Choose cut-offs that depend on a group or a number.",
        fit="study.covariate.fit:fit_by_covariate",
        fitted="study.covariate.fitted:CovariateStudy",
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


def public_names() -> dict[str, str]:
    """Return what `steadycut` offers of all kinds: each name with its module."""
    places = [(f"documents.{kind.rule}", kind.fit, kind.fitted) for kind in KINDS]
    return {name: module for row in places for module, name in (one.split(":") for one in row)}


def commands(*kinds: Kind) -> dict[str, tuple[str, str]]:
    """Return the commands of some kinds: the module of each, and its line in the help."""
    return {kind.command: (f"cli.{kind.command}", kind.line) for kind in kinds}
