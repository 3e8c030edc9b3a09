"""The whole flow: patient scores in, a frozen and certified cut-off out."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.bootstrap.draws import draw_thresholds
from steadycut.core.bootstrap.within_groups import Stratify
from steadycut.core.certify import certificate_of
from steadycut.core.confusion import confusion_at
from steadycut.core.frames import Columns
from steadycut.core.intervals.threshold import CutInterval
from steadycut.core.odd import check_varied
from steadycut.core.parts import check_one_per_patient
from steadycut.core.records import LABELLED, PatientScores, check_same_patients, policy_of
from steadycut.core.rounding import who_is_called
from steadycut.core.rules.next_site import AtNextSite
from steadycut.core.select import Draw, with_unscored
from steadycut.core.split import Roles
from steadycut.core.survival import worst_labels
from steadycut.documents.rule import FrozenRule
from steadycut.documents.shown import LOOK, Shown, columns_of, point_columns, study_repr
from steadycut.documents.study import StudyDocument, StudyVerdictPart
from steadycut.errors import BadOption, argument, explains_calls, warn_each
from steadycut.ingest import aggregate
from steadycut.study.choosing import Choice, Progress, choose
from steadycut.study.describe import describe, freeze
from steadycut.study.fitted import FittedStudy, HeldOut, patient_columns
from steadycut.study.new_patients import with_labels
from steadycut.study.operating_point import (
    CONFIDENCE,
    OperatingPoint,
    study_cut_interval,
    study_point,
)
from steadycut.study.options import GIVEN, FitOptions, Options, lists_options, study_options
from steadycut.study.roles import (
    check_both_classes,
    check_unknown,
    check_unscored,
    deal_roles,
    deal_test,
    groups_of,
)
from steadycut.study.useful import study_verdict

COLUMNS_TO_NAME = "Of a table name the columns: fit(table, patient=..., score=..., label=...)."
# One score, or several candidates.
Several = PatientScores | Mapping[Any, PatientScores] | Iterable[PatientScores]


@dataclass(frozen=True, eq=False, kw_only=True)
class Study(FittedStudy, Shown):
    """A fitted study, and what one does with it: look at it, describe it, freeze it."""

    def __repr__(self) -> str:
        """Return the answer in three lines; no patient is shown."""
        sign, name = ">=" if self.options.sign > 0 else "<=", self.patients.recipe.name
        who = who_is_called(self.threshold, self.options.direction)
        return study_repr(self, f"call {who or f'if {name} {sign} {self.threshold:.4g}'}", LOOK)

    def operating_point(self, confidence: float = CONFIDENCE) -> OperatingPoint:
        """Return what the cut-off does to the certifying patients, with two kinds of intervals.

        ``fixed``: if this cut-off is used. ``rechosen``: if the whole study were repeated, cut-off
        included.
        """
        return study_point(self, confidence)

    def threshold_interval(self, confidence: float = CONFIDENCE) -> CutInterval:
        """Return where the cut-off would lie with all patients, and in a repeated study."""
        return study_cut_interval(self, confidence)

    def describe(self, confidence: float = CONFIDENCE) -> StudyDocument:
        """Return everything that was found, without any patient, as one typed record."""
        return self._document if confidence == CONFIDENCE else describe(self, confidence)

    @cached_property
    def _document(self) -> StudyDocument:
        return describe(self, CONFIDENCE)

    @property
    def verdict(self) -> StudyVerdictPart:
        """Whether the cut-off is useful here, and as good as somebody asked for."""
        return study_verdict(self)

    def to_dict(self, confidence: float = CONFIDENCE) -> dict[str, Any]:
        """Return the content of ``study.json``; ``confidence`` is that of its intervals."""
        return self.describe(confidence).to_plain()

    def freeze(
        self,
        *,
        remember_patients: bool = False,
        key: bytes | None = None,
        small_cells: int | None = None,
    ) -> FrozenRule:
        """Return the rule to take to the next hospital.

        ``remember_patients`` puts salted hashes of the patients' identifiers into it, so that these
        patients are recognised and refused later. Only with a secret ``key`` can nobody else try
        identifiers. With ``small_cells`` no number in it stands for fewer patients than that; the
        cut-off stays, the certificate gets a little larger.
        """
        return freeze(self, remember_patients=remember_patients, key=key, small_cells=small_cells)

    def _tables(self) -> Mapping[str, Callable[[], Columns]]:
        return {
            "patients": lambda: patient_columns(self),
            "candidates": lambda: columns_of(self.describe().candidates),
            "operating_point": lambda: point_columns(self.describe().operating_point),
        }


@explains_calls
@lists_options
def fit(
    patients: Several | ArrayLike,
    y: Mapping[Any, object] | ArrayLike | None = None,
    *,
    stratify: Stratify | None = None,
    progress: Progress | None = None,
    patient: str | None = None,
    score: str | Iterable[str] | None = None,
    label: str | None = None,
    positive: object = None,
    unscored: str | None = None,
    **options: Unpack[FitOptions],
) -> Study:
    """Choose, freeze and certify one patient-level cut-off.

    Parameters
    ----------
    patients
        Patient scores with labels; or several candidates for the same patients (a mapping or a
        sequence: other score columns, other aggregators), of which one is chosen. Or scores, with
        their labels in ``y``. Or a table, as `aggregate` takes it, with the names of its columns.
    y
        Labels of 0 and 1, in the order of the scores or a mapping from identifiers. They take the
        place of those that the patients have.
    {options}
    stratify
        Resample patients within groups, so that every bootstrap cohort has as many of each:
        ``"label"``, ``"site"`` or the name of one of ``patients.attributes``; one entry per
        patient in the order of ``patients.scores``; or a mapping from identifiers to groups.
    progress
        Called with a text, the number of steps done and the number of steps.
    patient, score, label, positive
        Columns of a table, and the label that means ill. The score of a patient is the mean; for
        anything else make the patients with `aggregate`.
    unscored
        What is done to a patient without a score (NaN): ``"call"``, ``"leave"`` or, by default,
        ``"refuse"``. The policy is frozen with the cut-off, and such patients count everywhere.

    Returns
    -------
    Study

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(7)
    >>> labels = rng.integers(0, 2, 200)
    >>> cohort = PatientScores(scores=rng.normal(size=200) + 2 * labels, labels=labels)
    >>> study = fit(cohort, rule="erm")
    >>> bool(0 < study.threshold < 2), study.certificate.n_patients
    (True, 100)
    >>> rows = dict(id=range(200), score=cohort.scores, ill=labels)
    >>> fit(rows, patient="id", score="score", label="ill", rule="erm").certificate.n_patients
    100
    """
    if score is not None:
        named: Any = {"patient": patient, "score": score, "label": label, "positive": positive}
        patients = aggregate(patients, **named, unscored=unscored or "refuse")
    elif (patient, label, positive if y is None else None) != (None, None, None):
        raise BadOption(f"{argument('score')} is missing. {COLUMNS_TO_NAME}")
    given = with_labels(patients, y, positive, unscored)
    if unscored is not None:
        given = [each.under(policy_of(unscored)) for each in as_candidates(given)]
    study = make_study(given, stratify=stratify, progress=progress, **options)
    warn_each(study.warnings, stacklevel=3)
    return study


def make_study(
    patients: Several,
    *,
    stratify: Stratify | None = None,
    progress: Progress | None = None,
    **options: Unpack[FitOptions],
) -> Study:
    """Do the same as `fit`, without warning; the texts are in ``warnings`` of the study."""
    named = stratify if stratify is None or isinstance(stratify, str) else GIVEN
    settled = study_options(stratify=named, **options)
    candidates = as_candidates(patients)
    for candidate in candidates:
        check_varied(candidate)
    check_one_per_patient(candidates[0], stated=settled.one_per_patient)
    return run_study(candidates, settled, progress, groups=stratify)


def run_study(
    candidates: list[PatientScores],
    options: Options,
    progress: Progress | None = None,
    draw: Draw = draw_thresholds,
    groups: Stratify | None = None,
    roles: Roles | None = None,
) -> Study:
    """Run the steps of the flow, in order.

    ``draw`` resamples patients and runs the rule again; a scorer that learns brings its own.
    ``groups`` are those of the patients if ``options.stratify`` does not name a column of theirs.
    ``roles`` are given where they were dealt before there were scores.
    """
    check_same_patients(candidates, "candidates", LABELLED)
    check_unknown(candidates[0], options)
    check_unscored(candidates[0], options)
    if test := deal_test(candidates[0], options):
        return study_with_test(candidates, options, progress, groups, test)
    check_both_classes(candidates[0])
    check_several(candidates, options)
    _, bootstrap_seed = np.random.SeedSequence(options.seed).spawn(2)
    roles = roles or deal_roles(candidates[0], options)
    within = groups_of(candidates[0], options, groups)
    choice = choose(
        candidates,
        roles.select,
        options,
        bootstrap_seed,
        draw=draw,
        within=within,
        progress=progress,
    )
    study = certify_study(choice, candidates, options, roles)
    if draw is not draw_thresholds:
        # The scorer has learned from all sites: none of them can be left out.
        study = replace(study, given=())
    if progress:
        progress("certified", len(candidates), len(candidates))
    return study


def study_with_test(
    candidates: list[PatientScores],
    options: Options,
    progress: Progress | None,
    groups: Stratify | None,
    test: Roles,
) -> Study:
    """Run the study without the patients who are held out, and keep them beside it.

    It is the same study, to the last bit, as one of the other patients alone.
    """
    kept, within = test.select, groups_of(candidates[0], options, groups)
    rest = [candidate.take(kept) for candidate in candidates]
    alone = replace(options, test_size=None)
    groups = None if within is None else within[kept]
    study = run_study(rest, alone, progress, groups=groups)
    everyone = study.scores_among(rest, candidates)
    given = everyone.take(test.certify)
    tested = worst_labels(given.oriented(options.direction), study.chosen.threshold)
    held_out = HeldOut(patients=tested, given=given, everyone=everyone)
    return replace(study, options=options, held_out=held_out)


def certify_study(
    choice: Choice, candidates: list[PatientScores], options: Options, roles: Roles
) -> Study:
    """Certify what was chosen, and put the study together.

    A candidate that was left out counts too: it was left out because of these patients.
    """
    patients = choice.scores_of(candidates)
    oriented = patients.oriented(options.direction)
    select = oriented.take(roles.select).of_known_fate
    tried = tuple(with_unscored(candidate, select, options.search) for candidate in choice.tried)
    chosen = tried[choice.tried.index(choice.chosen)]
    certified = worst_labels(oriented.take(roles.certify), choice.chosen.threshold)
    counts = confusion_at(certified, choice.chosen.threshold)
    certificate = certificate_of(
        counts,
        options.search.costs,
        options.search.delta,
        bound=options.bound,
        honesty=options.honesty,
        n_candidates=len(choice.tried) + len(choice.infeasible),
    )
    return Study(
        options=options,
        patients=patients,
        roles=roles,
        chose=oriented.take(roles.select).usable,
        certified=certified,
        chosen=chosen,
        candidates=tried,
        certificate=certificate,
        counts=counts,
        ensemble=choice.ensemble,
        infeasible=choice.infeasible,
        # The cut-off of fewer hospitals has other patients of unknown fate as errors.
        given=() if patients.n_unknown else tuple(candidates),
    )


def as_candidates(patients: Several) -> list[PatientScores]:
    """Return the candidates as a list of at least one."""
    if isinstance(patients, PatientScores):
        return [patients]
    given = patients.values() if isinstance(patients, Mapping) else patients
    several = list(given) if isinstance(given, Iterable) else []
    if not several or not all(isinstance(entry, PatientScores) for entry in several):
        raise BadOption(
            "patients must be PatientScores, or scores with their labels in "
            f"{argument('y')}, or a mapping or sequence of PatientScores; got "
            f"{type(patients).__name__}. {COLUMNS_TO_NAME}"
        )
    return several


def check_several(candidates: list[PatientScores], options: Options) -> None:
    """Refuse an ensemble of one, and several candidates for a rule that needs a fixed score."""
    rule = options.search.chooser
    if isinstance(rule, AtNextSite) and len(candidates) > 1:
        raise BadOption(
            f"the rule {rule} promises something about one score that was fixed beforehand; got "
            f"{len(candidates)} candidates. Name one score and one aggregator."
        )
    if options.ensemble is not None and len(candidates) == 1:
        raise BadOption(
            f"an ensemble needs at least two methods; got one, '{candidates[0].recipe.name}'. Name "
            "several scores or several aggregators."
        )
