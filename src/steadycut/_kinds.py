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
    study_file
        What the document of a study is called in a folder.
    page
        The module in ``show.pages`` whose function ``<module>_page`` makes the page of a study.
        None for the page that every study can have.
    page_name
        What that page is called, without an ending.
    command, line
        The command that makes it, a module of its own in ``cli``, and its line in the help.
    public
        What `steadycut` offers of it, by module.
    """

    schema: str
    file_name: str
    rule: str
    study: str
    study_file: str
    page: str | None = None
    page_name: str
    command: str
    line: str
    public: dict[str, tuple[str, ...]]


# The first one is the cut-off.
KINDS = [
    Kind(
        schema="steadycut.rule/1",
        file_name="rule.json",
        rule="rule:FrozenRule",
        study="study:StudyDocument",
        study_file="study.json",
        page="study",
        page_name="report",
        command="fit",
        line="Choose, freeze and certify one patient-level cut-off.",
        public={"documents.rule": ("FrozenRule",), "study.fit": ("Study", "fit")},
    ),
    Kind(
        schema="steadycut.strata/1",
        file_name="strata.json",
        rule="strata:StrataRule",
        study="strata:StrataStudyDocument",
        study_file="strata-study.json",
        page="strata",
        page_name="strata",
        command="strata",
        line="Choose ordered risk strata, or rule out and rule in.",
        public={
            "documents.strata": ("StrataRule",),
            "study.strata.fit": ("fit_strata",),
            "study.strata.fitted": ("StrataStudy",),
        },
    ),
    Kind(
        schema="steadycut.covariate/1",
        file_name="covariate.json",
        rule="covariate:CovariateRule",
        study="covariate:CovariateStudyDocument",
        study_file="covariate_study.json",
        page="covariate",
        page_name="covariate",
        command="covariate",
        line="Choose cut-offs that depend on a group or a number.",
        public={
            "documents.covariate": ("CovariateRule",),
            "study.covariate.fit": ("fit_by_covariate",),
            "study.covariate.fitted": ("CovariateStudy",),
        },
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


def public_names() -> dict[str, tuple[str, ...]]:
    """Return what `steadycut` offers of all kinds, by module."""
    return {module: names for kind in KINDS for module, names in kind.public.items()}


def commands(*kinds: Kind) -> dict[str, tuple[str, str]]:
    """Return the commands of some kinds: the module of each, and its line in the help."""
    return {kind.command: (f"cli.{kind.command}", kind.line) for kind in kinds}
