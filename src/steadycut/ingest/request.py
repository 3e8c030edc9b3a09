"""What is asked of a table: which columns, which aggregators, and what to do with gaps."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from steadycut.core.aggregate.aggregators import (
    AGGREGATORS,
    Aggregator,
    How,
    aggregator_names,
    parse_aggregator,
)
from steadycut.core.checks import check_choice, check_positive, refuse, shown
from steadycut.core.records import Recipe, policy_of
from steadycut.errors import BadOption, argument, did_you_mean

if TYPE_CHECKING:
    from steadycut.ingest.join import Step

# Stands for the column of patients where each row is one; then they are called by their numbers.
ROW = "(row number)"
MISSING_POLICIES = ("refuse", "drop")
# Separators of text files, as they are written in an option.
DELIMITERS = {",": ",", ";": ";", "|": "|", "tab": "\t", "\t": "\t", "\\t": "\t"}
SAME, ANY = LABEL_HOWS = ("same", "any")

Level = str | tuple[str, How]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to read from a table; checked when it is built, before anything is read.

    Parameters
    ----------
    patient
        Column that identifies patients; `ROW` if each row is one patient.
    scores
        One or several columns of instance scores; each one is a separate method.
    label
        Column of patient labels, if there is one.
    positive
        The label that counts as 1. Without it labels must be 0 and 1.
    label_how
        ``"same"``: all rows of a patient must have the same label. ``"any"``: a patient with a
        positive row is positive; without one, a row without a label makes the label unknown.
    site
        Column of hospitals, if there is one.
    sites
        The hospitals to read. Rows of others are left out before anything else is checked.
        Default: all.
    other_than
        Hashes (`site_hash`) of hospitals to leave out, instead of ``sites``.
    positive_occurs
        Whether the positive label must occur. A hospital without any positive patient can be used
        in an audit, but not to fit.
    levels
        Levels between rows and patients, innermost first: pairs of a column and an aggregator.
    hows
        One or several aggregators over the last level of a patient, or over the rows if there
        are no levels.
    missing
        ``"refuse"`` or ``"drop"`` rows whose score is missing, NaN or infinite.
    attributes
        Further patient-level columns, such as sex or scanner: one value per patient, as a text.
        One of them may also be the site.
    unscored
        ``"refuse"``, or what is done to patients of whom no row has a score: ``"call"``,
        ``"leave"``. They are kept then.
    incomplete
        ``"refuse"`` or ``"drop"`` patients who have no label, or no value of an attribute, in any
        row.
    order
        Column that says when a row came in, as a number or an ISO date. A patient arrives with
        the earliest row.
    clusters
        Whether to measure how similar the rows of a patient are.
    names
        What the columns of a table are called in a frozen rule: pairs of both names, for every
        column that the rule needs. Patients get the names of the rule.
    time, event, horizon
        Columns of the follow-up and of the event, instead of a label, and the horizon: did the
        event happen by then? ``positive`` is then the value of the event.
    delimiter
        Separator of text files: ``,``, ``;``, ``|`` or ``tab``. Default: found from the header.
    decimal
        Decimal sign of scores that are written as text: a point or a comma.
    patient_from
        How a patient follows from a name in the column of patients: the name of a pattern, or a
        regular expression with one group (`steadycut.ingest.join`).
    file_column
        What to call a column that holds the name of the file of each row, without its ending.
    steps
        How columns that the table does not have follow from others; `read_patients` adds them.
    parts
        Why what counts as a patient may be a slide or an image; `read_patients` adds it.

    Examples
    --------
    >>> request = Request(patient="id", scores=("s",), levels=(("slide", "max"),), hows=("mean",))
    >>> request.columns
    ('id', 'slide', 's')
    >>> request.recipe("s", "mean").name
    's: slide max, patient mean'
    """

    patient: str
    scores: tuple[str, ...]
    label: str | None = None
    positive: object = None
    label_how: str = SAME
    site: str | None = None
    sites: tuple[str, ...] | None = None
    other_than: tuple[str, ...] = ()
    positive_occurs: bool = True
    levels: tuple[tuple[str, How], ...] = ()
    hows: tuple[How, ...] = ("mean",)
    missing: str = "refuse"
    unscored: str = "refuse"
    attributes: tuple[str, ...] = ()
    incomplete: str = "refuse"
    order: str | None = None
    clusters: bool = False
    names: tuple[tuple[str, str], ...] = ()
    delimiter: str | None = None
    decimal: str = "."
    time: str | None = None
    event: str | None = None
    horizon: float | None = None
    patient_from: str | None = None
    file_column: str | None = None
    steps: tuple["Step", ...] = field(default=(), compare=False, repr=False)
    parts: str = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        check_choice("missing", self.missing, MISSING_POLICIES)
        check_choice("incomplete", self.incomplete, MISSING_POLICIES)
        _ = policy_of(self.unscored)
        check_choice("label_how", self.label_how, LABEL_HOWS)
        if self.delimiter not in {None, *DELIMITERS}:
            refuse("delimiter", "be , ; | or tab", self.delimiter)
        if self.decimal not in {".", ","}:
            refuse("decimal", "be a point or a comma", self.decimal)
        _check_columns((self.patient,))
        for name in ("patient_from", "file_column"):
            if not isinstance(getattr(self, name), str | None):
                refuse(name, "be a text", getattr(self, name))
        levels = {column for column, _ in self.levels}
        named = [name for name in self.roles if not (name == self.patient and name in levels)]
        _check_columns((*(named if self.patient_from else self.roles), *self.scores))
        _check_some("score column", self.scores)
        _check_some("aggregator", self.hows)
        _check_once("aggregator", [aggregator.name for aggregator in self.aggregators])
        for _, how in self.levels:
            parse_aggregator(how)
        _check_sites(self.site, self.sites)
        self._check_horizon()
        if self.positive is not None and self.label is None and self.event is None:
            given = shown(self.positive)
            raise BadOption(f"positive={given} needs a label column. Name it as label.")
        if self.label_how == ANY and self.label is None:
            raise BadOption(
                f"{argument('label_how', ANY)} needs a column of labels of two classes. Name it "
                f"with {argument('label')}, or leave {argument('label_how')} out."
            )

    def _check_horizon(self) -> None:
        given = {name: getattr(self, name) for name in ("time", "event", "horizon")}
        lacking = [argument(name) for name, value in given.items() if value is None]
        if lacking and len(lacking) < len(given):
            raise BadOption(
                "survival at a horizon needs the time, the event and the horizon; "
                f"{' and '.join(lacking)} is missing. Give all three, or a label instead."
            )
        if not lacking and self.label is not None:
            raise BadOption(
                f"{argument('label')} and {argument('horizon')} exclude each other: with a "
                "horizon the time and the event make the label. Leave one of them out."
            )
        if not lacking:
            check_positive("horizon", self.horizon)

    @property
    def separator(self) -> str | None:
        """The separator of text files; None if the header tells it."""
        return None if self.delimiter is None else DELIMITERS[self.delimiter]

    @property
    def picks_sites(self) -> bool:
        """Whether some hospitals are left out."""
        return self.site is not None and (self.sites is not None or bool(self.other_than))

    def asks_for(self, site: str) -> bool:
        """Return whether the rows of a hospital are read."""
        if self.other_than:
            return site_hash(site) not in self.other_than
        return self.sites is None or site in self.sites

    @property
    def keys(self) -> tuple[str, ...]:
        """Columns of the table that say what a row belongs to, in the order of reading."""
        made = {name for step in self.steps for name in step.names}
        needed = (*self.roles, *(step.key for step in self.steps))
        return tuple(dict.fromkeys(name for name in needed if name not in made))

    @property
    def leaf_keys(self) -> set[str]:
        """The keys of which each combination belongs to one leaf."""
        levels = (column for column, _ in self.levels)
        return {self.patient, *levels, *(step.key for step in self.steps)}

    @property
    def roles(self) -> tuple[str, ...]:
        """Columns that say what a row belongs to, of the table and of a sheet joined to it."""
        levels = (column for column, _ in self.levels)
        # The site may be asked for as an attribute too.
        more = (column for column in self.attributes if column != self.site)
        survival = (self.time, self.event)
        named = (self.patient, self.label, *survival, self.site, *levels, *more, self.order)
        return tuple(column for column in named if column not in {None, ROW})

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column to read."""
        return (*(name for name in self.keys if name != self.file_column), *self.scores)

    @property
    def level_aggregators(self) -> tuple[Aggregator, ...]:
        """One aggregator per level, innermost first."""
        return tuple(parse_aggregator(how) for _, how in self.levels)

    @property
    def aggregators(self) -> tuple[Aggregator, ...]:
        """The aggregators over a patient."""
        return tuple(parse_aggregator(how) for how in self.hows)

    @property
    def rows_are_patients(self) -> bool:
        """Whether each row is one patient."""
        return self.patient == ROW

    def named(self, column: str) -> str:
        """Return what a column of the table is called in the rule."""
        name = dict(self.names).get(column, column)
        return column if name == ROW else name

    def how_to_name(self, column: str) -> str | None:
        """Return the argument that names a column; None if that depends on the command."""
        names = dict(self.names)
        roles = {self.patient: "patient", self.label: "label", self.site: "site"}
        roles[self.order] = "order"
        if not names:
            roles |= {self.time: "time", self.event: "event"}
        if not names or len(self.scores) == 1:
            roles |= dict.fromkeys(self.scores, "score")
        if column in roles:
            return argument(roles[column], "COL")
        if column in names:
            return argument("columns", f"{self.named(column)}=COL")
        return argument("levels", "COL:AGG") if column in dict(self.levels) else None

    def recipe(self, score: str, how: str) -> Recipe:
        """Return how one score column becomes patient scores."""
        named = zip(self.levels, self.level_aggregators, strict=True)
        return Recipe(
            patient=self.named(self.patient),
            score=self.named(score),
            label=self.label,
            positive=None if self.positive is None else str(self.positive),
            label_how="any" if self.label_how == ANY else None,
            site=self.site,
            levels=tuple((self.named(column), step.name) for (column, _), step in named),
            how=how,
            time=None if self.time is None else self.named(self.time),
            event=None if self.event is None else self.named(self.event),
            horizon=None if self.horizon is None else float(self.horizon),
            unscored=policy_of(self.unscored),
        )


def site_hash(name: str) -> str:
    """Return what stands for a hospital in a rule file, which names no hospital."""
    return hashlib.sha256(name.encode()).hexdigest()


def make_request(
    *,
    patient: str | None,
    score: str | Iterable[str],
    sites: Iterable[str] | None = None,
    levels: Iterable[Level] = (),
    how: How | Iterable[How] = "mean",
    attributes: str | Iterable[str] = (),
    missing: str = "refuse",
    **plain: Any,
) -> Request:
    """Build a request; callers may write one or several names, and levels as texts or pairs.

    Without ``patient`` each row is one. ``missing="drop"`` also drops patients without a label or
    without a value of an attribute. ``plain`` are other fields of a `Request`, as they are.

    Examples
    --------
    >>> make_request(patient="id", score="s", levels=["slide:max"], how=["mean", "max"]).hows
    ('mean', 'max')
    """
    return Request(
        patient=ROW if patient is None else patient,
        scores=_several("score", score),
        sites=None if sites is None else tuple(sites),
        levels=tuple(_as_pair(level) for level in _several("levels", levels)),
        hows=(how,) if callable(how) else _several("how", how),
        attributes=tuple(map(str, _several("attributes", attributes))),
        missing=missing,
        incomplete=missing,
        **plain,
    )


def _several(name: str, given: str | Iterable[Item]) -> tuple[str | Item, ...]:
    if not isinstance(given, Iterable):
        refuse(name, "be one or several names", given)
    return (given,) if isinstance(given, str) else tuple(given)


def parse_level(text: str) -> tuple[str, str]:
    """Return the column and the aggregator of ``COL:AGG``; AGG is the longest valid ending.

    Examples
    --------
    >>> parse_level("slide:quantile:0.9")
    ('slide', 'quantile:0.9')
    >>> parse_level("MDVP:Jitter:max")
    ('MDVP:Jitter', 'max')
    """
    endings = [(text[:at], text[at + 1 :]) for at in range(1, len(text)) if text[at] == ":"]
    for column, how in endings:
        if _is_aggregator(how):
            return column, how
    for _, how in endings:
        if how.partition(":")[0] in AGGREGATORS:
            parse_aggregator(how)
    names = aggregator_names()
    msg = (
        f"a level must be written COLUMN:AGGREGATOR, with one of the aggregators "
        f"{', '.join(names)}; got {text!r}."
    )
    meant = did_you_mean(text, [f"{column}:{how}" for column, _ in endings for how in names])
    raise BadOption(msg + meant)


def _is_aggregator(how: str) -> bool:
    try:
        parse_aggregator(how)
    except BadOption:
        return False
    return True


def _as_pair(level: Level) -> tuple[str, How]:
    if isinstance(level, str):
        return parse_level(level)
    if not isinstance(level, tuple | list) or len(level) != 2:  # noqa: PLR2004
        refuse("a level", "be a pair (column, aggregator) or 'COLUMN:AGGREGATOR'", level)
    return level[0], level[1]


def _check_columns(columns: tuple[str, ...]) -> None:
    for column in columns:
        if not isinstance(column, str) or not column:
            refuse("the name of a column", "be a text that is not empty", column)
    _check_once("column", columns)


def _check_sites(site: str | None, sites: tuple[str, ...] | None) -> None:
    if sites is None:
        return
    if site is None:
        raise BadOption(f"sites {', '.join(sites)} need a site column. Name it as site.")
    _check_some("site", sites)


def _check_once(what: str, names: Iterable[str]) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        msg = f"each {what} must be named once and in one role; got {repeated[0]!r} twice."
        raise BadOption(msg)


def _check_some(what: str, given: tuple[object, ...]) -> None:
    if not given:
        raise BadOption(f"at least one {what} must be named; got none.")
