"""What the hospitals of a study say about the next one.

If some hospitals chose the cut-off and others check it, those speak that check it. Otherwise each
hospital is left out in turn: the others choose a cut-off, as the study did, and all patients of the
hospital show what it does there.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from steadycut.core.checks import IntArray, shown_names
from steadycut.core.confusion import confusion_at
from steadycut.core.next_site import SiteResult
from steadycut.core.records import PatientScores
from steadycut.core.sites import is_at, site_names
from steadycut.errors import SteadycutError
from steadycut.study.choosing import choose
from steadycut.study.options import Options


def results_at(patients: PatientScores, threshold: float) -> list[SiteResult]:
    """Return what one cut-off does at every hospital; none of them chose it."""
    names = site_names(patients)
    called = shown_names(patients.sites) if patients.sites is not None else {}
    return [
        SiteResult(
            site=called[name],
            threshold=threshold,
            counts=confusion_at(patients.take(is_at(patients, name)), threshold),
        )
        for name in names
    ]


def results_left_out(
    given: Sequence[PatientScores], options: Options, select: IntArray, published: PatientScores
) -> list[SiteResult]:
    """Return what the cut-off of all other hospitals does at each hospital.

    Empty where the others cannot choose, such as for lack of a class. ``published`` is the
    candidate to which the published cut-off belongs.
    """
    if not given:
        return []
    selects = np.zeros(given[0].n_patients, dtype=bool)
    selects[select] = True
    quick = without_bootstrap(options)
    _, seed = np.random.SeedSequence(options.seed).spawn(2)
    results, sites = [], given[0].sites
    called = {} if sites is None else shown_names(sites)
    for name in site_names(given[0]):
        out = is_at(given[0], name)
        others, choosing = [one.take(~out) for one in given], np.flatnonzero(selects[~out])
        if not choosing.size:
            return []
        try:
            choice = choose(others, choosing, quick, seed)
        except SteadycutError:
            return []
        there = choice.scores_of([one.take(out) for one in given]).oriented(options.direction)
        cut = choice.chosen.threshold
        same = choice.place is not None and given[choice.place] is published
        counts, own = confusion_at(there, cut), cut if same else None
        results.append(SiteResult(site=called[name], threshold=own, counts=counts))
    return results


def without_bootstrap(options: Options) -> Options:
    """Return the options without replicates, where they do not decide what is chosen."""
    search = options.search
    if search.selector != "risk" or options.ensemble == "gls":
        return options
    return replace(options, search=replace(search, n_bootstrap=2))
