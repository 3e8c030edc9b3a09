"""Who chooses the cut-off and who certifies it, and within which groups patients are resampled."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from steadycut.core.bootstrap.within_groups import Stratify, group_codes
from steadycut.core.checks import IntArray, read_only
from steadycut.core.records import PatientScores
from steadycut.core.split import Roles, everybody, split_classes, split_patients
from steadycut.errors import BadOption, BadPatients, TooFewPatients, argument
from steadycut.ingest.sites import check_sites
from steadycut.study.options import GIVEN, Options

# Below this many patients of a class no cut-off is chosen at all.
LEAST_PATIENTS = 2
# The rules that take patients by weights, which patients of known fate have after censoring.
WEIGHTED = ("stable", "erm", "youden")
# The rules that only weigh costs: patients without a score add the same cost at every cut-off.
BY_COST = ("stable", "erm", "logistic")


def deal_roles(patients: PatientScores, options: Options) -> Roles:
    """Return who chooses and who certifies.

    The random numbers come from the seed and from the identifiers. From the seed alone the same
    positions would be dealt for every cohort of a size. Where identifiers tell the class
    (``case_1``, ``control_1``) that is as good as stratified.
    """
    if options.sites_certify is not None:
        return deal_sites(patients, options.sites_certify)
    if options.honesty == "uniform":
        return everybody(patients.n_patients)
    return _deal(patients, options, options.certify_size, stream=0)


def deal_sites(patients: PatientScores, names: Sequence[str]) -> Roles:
    """Let the patients of some sites certify, and those of all others choose."""
    if patients.sites is None:
        msg = f"{argument('sites_certify')} needs every patient's site. Name the column of sites."
        raise BadPatients(msg)
    check_sites(Counter(patients.sites.tolist()), names)
    certify = np.isin(patients.sites, names)
    if certify.all():
        msg = f"{argument('sites_certify')} names every site; leave at least one to choose."
        raise BadOption(msg)
    select, certifying = (read_only(np.flatnonzero(part)) for part in (~certify, certify))
    check_both_classes(patients.take(select))
    return Roles(select=select, certify=certifying)


def deal_test(patients: PatientScores, options: Options) -> Roles | None:
    """Return who is held out (``certify``) and who stays (``select``); None if nobody is held out.

    They are dealt as those who certify are, within classes if ``stratified``.
    """
    size, n_patients = options.test_size, patients.n_patients
    if size is None:
        return None
    share = size if size < 1 else size / n_patients
    if share >= 1:
        raise TooFewPatients(
            f"{argument('test_size', int(size))} holds out everybody; there are {n_patients} "
            "patients. Take a smaller number, or a share such as 0.2."
        )
    return _deal(patients, options, share, stream=1)


def _deal(patients: PatientScores, options: Options, share: float, stream: int) -> Roles:
    names = digest_of_names(patients.oriented(options.direction))
    seeds = np.random.SeedSequence([options.seed, *names]).spawn(2)
    rng = np.random.default_rng(seeds[stream])
    if options.stratified:
        return split_classes(patients.known_labels, share, rng)
    return split_patients(patients.n_patients, share, rng)


def digest_of_names(patients: PatientScores) -> bytes:
    """Return a digest of the identifiers; nothing where there are none.

    Where all patients of one class come before those of the other, the identifiers tell little more
    than the number of ill patients. One seed then knows only one split for each such number. The
    ranks of the scores are therefore added there. A digest of them has nothing to do with who is
    ill, so every split is as likely as any other, for every size and seed.
    """
    if patients.patients is None:
        return b""
    digest = hashlib.sha256(patients.joined_names.encode())
    if np.count_nonzero(np.diff(patients.fates)) <= 1:
        ranks = np.unique(patients.scores, return_inverse=True)[1]
        digest.update(ranks.astype("<i8").tobytes())
    return digest.digest()


def groups_of(
    patients: PatientScores, options: Options, groups: Stratify | None
) -> IntArray | None:
    """Return the group of each patient; None where patients are resampled all together."""
    if options.stratify is None:
        return None
    named = options.stratify if groups is None or options.stratify != GIVEN else groups
    return group_codes(patients, named)


def check_both_classes(patients: PatientScores) -> None:
    """Refuse fewer than two patients of a class."""
    patients = patients.scored
    counts = tuple(int(np.count_nonzero(patients.fates == label)) for label in (1, 0))
    if min(counts) < LEAST_PATIENTS and patients.recipe.horizon is not None:
        raise TooFewPatients(
            f"a cut-off needs at least {LEAST_PATIENTS} patients with the event by the horizon and "
            f"as many who were followed to it without the event; got {counts[0]} and {counts[1]}. "
            f"Take another {argument('horizon')}: it is in the unit of the time."
        )
    if min(counts) < LEAST_PATIENTS:
        raise TooFewPatients(
            f"a cut-off needs at least {LEAST_PATIENTS} patients of each class; got {counts[0]} "
            f"ill and {counts[1]} healthy. Check the label column and the positive value."
        )


def check_unknown(patients: PatientScores, options: Options) -> None:
    """Refuse what cannot be done if some patients were censored before the horizon."""
    if patients.n_unknown:
        msg = (
            f"{patients.n_unknown} of {patients.n_patients} patients were censored before the "
            "horizon. Their fate is unknown, which needs"
        )
        one_score = f"one score; leave out {argument('ensemble')}"
        _check_plain(options, msg, WEIGHTED, {one_score: options.ensemble is not None})


def check_unscored(patients: PatientScores, options: Options) -> None:
    """Refuse what cannot be done if patients without a score are called or left."""
    if patients.recipe.unscored is not None:
        why = "Patients without a score add the same cost at every cut-off, which needs"
        no_target = f"costs at the prevalence found; leave out {argument('target_prevalence')}"
        target = options.search.costs.target is not None
        _check_plain(options, why, BY_COST, {no_target: target})


def _check_plain(
    options: Options, why: str, rules: Sequence[str], more: Mapping[str, bool]
) -> None:
    """Refuse other rules, and other ways to choose and to resample than the plain ones."""
    rule = str(options.search.rule)
    wrong = {
        f"{argument('rule')} {' or '.join(rules)}; got {rule!r}": rule not in rules,
        f"honesty 'split'; got {options.honesty!r}": options.honesty != "split",
        f"no {argument('stratified')}": options.stratified,
        f"no {argument('stratify')}": options.stratify is not None,
        **more,
    }
    for needed, given in wrong.items():
        if given:
            raise BadOption(f"{why} {needed}.")
