"""What a cut-off does to patients: counts, shares and characteristics with their intervals."""

from collections.abc import Callable
from dataclasses import replace

from steadycut.core.class_names import ClassNames, of_them
from steadycut.core.rounding import UNKNOWN, at_most
from steadycut.documents.audit import LabelledAudit, LabelledCutOffAudit
from steadycut.documents.parts import CostsPart, IntervalPart, OperatingPointPart
from steadycut.documents.study import CutIntervals, HeldOutPart, StudyDocument
from steadycut.show.figures.calibration import CalibrationDisplay
from steadycut.show.pages.page import Section, Table, section
from steadycut.show.sections.survival import errors_note
from steadycut.show.words.numbers import count, cut, percent, risk
from steadycut.show.words.sentences import (
    bound_in_words,
    calibration_in_words,
    errors_sentence,
)

Write = Callable[[float | None], str]

# The two kinds of intervals are called so wherever they are shown.
FIXED = "if this cut-off is used"
RECHOSEN = "if the whole study were repeated, cut-off included"
NAMES = {
    "sensitivity": "sensitivity",
    "specificity": "specificity",
    "ppv": "PPV",
    "npv": "NPV",
    "plr": "LR+",
    "nlr": "LR-",
    "accuracy": "accuracy",
    "kappa": "kappa",
    "net_benefit": "net benefit",
    "auc": "AUC",
}
METHODS = {
    "clopper-pearson": "exact",
    "melded": "melded from exact limits",
    "at all cuts": "holds at every cut-off at once",
    "score": "score interval",
    "order statistics": "exact",
    "bootstrap": "bootstrap",
}
FIRST_HOSPITAL = ("first hospital", "interval there")
NO_CUT = "no cut-off in it"


def operating_section(study: StudyDocument) -> Section:
    """Say what the cut-off does to the patients used to check."""
    point, again = study.operating_point, study.operating_point.rechosen_cut
    names = study.names
    notes = (
        errors_sentence(point, "used to check", names),
        errors_note(study.survival),
        choosers_note(point),
        prevalence_note(point),
    )
    return section(
        "operating-point",
        "What it does to patients",
        f"Every characteristic has two intervals, with {percent(point.confidence)} confidence each "
        "on its own. They answer different questions.",
        f"{point.fixed_cut.meaning}.".capitalize(),
        f"{again.meaning}.".capitalize() if again else "",
        results=notes,
        of=study,
        tables=(
            characteristics_table(point, study.costs, names),
            counts_table(point, "Patients used to check", names),
        ),
    )


def score_section(document: StudyDocument | LabelledCutOffAudit) -> Section:
    """Show what the score does at every cut-off, and its calibration if it is a probability."""
    whole = section("score", "", of=document)
    figures = (picture.figure for picture in whole.pictures)
    fitted = [figure.fitted for figure in figures if isinstance(figure, CalibrationDisplay)]
    level = percent(document.operating_point.confidence)
    title = f"The score: ROC curve{', calibration' if fitted else ''}, who is called"
    return replace(
        whole, title=title, results=tuple(calibration_in_words(part, level) for part in fitted)
    )


def held_out_section(study: StudyDocument, test: HeldOutPart) -> Section:
    """Say what the frozen cut-off does to patients who were held out."""
    point, part = test.operating_point, test.certificate
    wanted = {key: NAMES[key] for key in ("sensitivity", "specificity")}
    limit = f"{percent(1 - part.delta)} confidence: at most {at_most(part.value)}"
    rows = (
        ("risk", risk(part.risk), limit, bound_in_words(part.bound)),
        *((name, *fixed(point, key)) for key, name in wanted.items()),
    )
    table = Table(
        caption=f"The frozen cut-off on {count(part.n_patients, 'patient')} who were held out",
        header=("what", "seen", f"limit, or {percent(point.confidence)} interval", "how"),
        kinds="tnnt",
        rows=rows,
        note="Each limit and interval holds on its own.",
        short=(0, 1, 2),
    )
    return section(
        "held-out",
        "Patients who were held out",
        "These patients had no part in choosing the cut-off or in its certificate.",
        results=(errors_sentence(point, "held out", study.names),),
        tables=(table, counts_table(point, "Patients held out", study.names)),
    )


def here_section(
    audit: LabelledAudit, here: OperatingPointPart, before: OperatingPointPart, costs: CostsPart
) -> Section:
    """Show what the cut-off does here and did at the first hospital."""
    names, notes = audit.names, (errors_note(audit.survival), prevalence_note(here))
    tables = (
        points_table(here, before, costs, names),
        counts_table(here, "Patients here", names),
        counts_table(before, "Patients used to check, first hospital", names),
    )
    title = "What it does to patients here"
    return section("operating-point", title, results=notes, of=audit, tables=tables)


def characteristics_table(point: OperatingPointPart, costs: CostsPart, names: ClassNames) -> Table:
    """Return every characteristic, with what it is if the cut stays and if it is chosen again."""
    titles = characteristic_names(point, costs)
    rows = [(name, *fixed(point, key), *rechosen(point, key)) for key, name in titles.items()]
    return Table(
        caption=f"Characteristics with two kinds of {percent(point.confidence)} intervals",
        header=("characteristic", "seen", FIXED, "how", RECHOSEN, "how"),
        kinds="tnntnt",
        rows=tuple(rows),
        note=explained_rates(names),
        short=(0, 1, 2, 4),
    )


def points_table(
    here: OperatingPointPart, before: OperatingPointPart, costs: CostsPart, names: ClassNames
) -> Table:
    """Return every characteristic of this very cut-off, here and at the first hospital."""
    titles = characteristic_names(here, costs)
    known = {key: fixed(before, key)[:2] for key in before.fixed_cut.characteristics}
    rows = [(name, *fixed(here, key), *known.get(key, ("", ""))) for key, name in titles.items()]
    return Table(
        caption=f"Characteristics {FIXED}, with {percent(here.confidence)} intervals",
        header=("characteristic", "here", "interval here", "how", *FIRST_HOSPITAL),
        kinds="tnntnn",
        rows=tuple(rows),
        note=explained_rates(names),
        short=(0, 1, 2, 4, 5),
    )


def explained_rates(names: ClassNames) -> str:
    """Say what the characteristics with short names are."""
    ill, healthy = of_them(names.ill), of_them(names.healthy)
    return (
        f"PPV, NPV: how many of those called are {ill}, of those not called {healthy}. LR+, LR-: "
        f"how much a call, or none, multiplies the odds of being {names.ill}. Net benefit: at the "
        "probability above which the costs make a call worth it."
    )


def counts_table(point: OperatingPointPart, caption: str, names: ClassNames) -> Table:
    """Return the four counts of decisions."""
    tp, fn, fp, tn = point.tp, point.fn, point.fp, point.tn
    return Table(
        caption=caption,
        header=("", "called", "not called", "all"),
        kinds="tnnn",
        rows=(
            (names.ill_patients, str(tp), str(fn), str(tp + fn)),
            (names.healthy_patients, str(fp), str(tn), str(fp + tn)),
            ("all", str(tp + fp), str(fn + tn), str(tp + fn + fp + tn)),
        ),
        note=f"{names.ill_patients} who are not called: missed. {names.healthy_patients} who are "
        "called: false alarms.",
    )


def characteristic_names(point: OperatingPointPart, costs: CostsPart) -> dict[str, str]:
    """Return the name of every characteristic that is known of a point."""
    share = costs.cost_fp / (costs.cost_fn + costs.cost_fp)
    named = {**NAMES, "net_benefit": f"net benefit at {percent(share)}"}
    return {key: named[key] for key in NAMES if key in point.fixed_cut.characteristics}


def fixed(point: OperatingPointPart, key: str) -> tuple[str, str, str]:
    """Write what was seen at this very cut-off, its interval, and how that is made."""
    interval = point.fixed_cut.characteristics[key]
    # A ratio to nothing is infinite.
    seen = "infinite" if interval.value is None and interval.known else risk(interval.value)
    return seen, interval_text(interval), METHODS[interval.method]


def rechosen(point: OperatingPointPart, key: str) -> tuple[str, str]:
    """Write the interval of a study that is repeated as a whole, and how it is made."""
    how = "" if key == "auc" else METHODS["bootstrap"]
    if point.rechosen_cut is None:
        return UNKNOWN, how
    text = NO_CUT if key == "auc" else interval_text(point.rechosen_cut.characteristics[key])
    return text, how


def interval_text(interval: IntervalPart, write: Write = risk) -> str:
    """Write an interval that may lack an end.

    Examples
    --------
    >>> interval_text(IntervalPart(low=0.5, high=0.75, known=True, method="score"))
    '0.500 to 0.750'
    >>> interval_text(IntervalPart(low=2.0, high=None, known=True, method="score"))
    '2.00 or more'
    """
    low, high = interval.low, interval.high
    if not interval.known:
        return UNKNOWN
    if low is None:
        return "any value" if high is None else f"{write(high)} or less"
    return f"{write(low)} or more" if high is None else f"{write(low)} to {write(high)}"


def choosers_note(point: OperatingPointPart) -> str:
    """Say that patients used to choose the cut-off themselves have wider intervals, if they did."""
    methods = {interval.method for interval in point.fixed_cut.characteristics.values()}
    if "at all cuts" not in methods:
        return ""
    return f"Intervals {FIXED}: these patients chose it, so they hold at every cut-off at once."


def prevalence_note(point: OperatingPointPart) -> str:
    """Say at which prevalence the characteristics that depend on it are taken, if not as found."""
    if point.target_prevalence is None:
        return ""
    low, high = (percent(end) for end in point.target_prevalence)
    where = low if low == high else f"{low} or {high}, wherever they are less"
    return f"PPV, NPV, accuracy, kappa and net benefit are those at prevalence {where}."


def cut_interval_rows(intervals: CutIntervals) -> tuple[tuple[str, str, str], ...]:
    """Return the two intervals of the cut-off, each with what it is about."""
    held = percent(intervals.confidence)
    names = {
        f"{held} confidence interval of the cut-off": intervals.population,
        f"where a repeated study would put it ({held})": intervals.repeated_study,
    }
    return tuple(
        (name, f"{interval_text(interval, cut)} ({METHODS[interval.method]})", interval.meaning)
        for name, interval in names.items()
    )
