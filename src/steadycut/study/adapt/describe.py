"""What ``adapt.json`` says."""

from typing import Any

import numpy as np
from scipy.special import expit, logit

from steadycut.core.adapt.menu import Item
from steadycut.core.adapt.mix import DOUBT, mix
from steadycut.documents.adaptation import CandidateCutPart, LabelsPart, WrongOddsPart
from steadycut.study.adapt.before import Situation
from steadycut.study.adapt.labels import Judged


def candidate_parts(there: Situation, cut: float, judged: Judged | None) -> list[CandidateCutPart]:
    """Return the cut-offs, with what the labels say about each.

    A labelled patient's score is shown only where it was chosen.
    """
    if judged is None:
        return [candidate_part(there, one, chosen=one.cut == cut) for one in there.menu]
    chosen = judged.found[judged.chosen]
    shown = [one for one in judged.found if one.own is None or one is chosen]
    return [
        candidate_part(
            there,
            one.item,
            chosen=one is chosen,
            missed=one.counts.fn,
            alarms=one.counts.fp,
            risk=one.counts.risk(there.costs),
            limit=one.limit,
        )
        for one in shown
    ]


def candidate_part(there: Situation, one: Item, **seen: Any) -> CandidateCutPart:  # noqa: ANN401
    """Return one cut-off, with what the labels say, if there are any."""
    placed = {"threshold": there.value(one.cut), "call_rate": there.call_rate(one.cut)}
    return CandidateCutPart.of(one, **placed, **seen)


def labels_part(judged: Judged) -> LabelsPart:
    """Return what the labels say of the chosen cut-off."""
    used = judged.used
    sequential = judged.path is not None
    return LabelsPart.of(
        used,
        judged,
        sequential=sequential,
        stopped_after=used.n_patients if sequential else None,
        given=judged.n_given if sequential else None,
    )


def wrong_odds(there: Situation) -> list[WrongOddsPart]:
    """Return the cut-off if the stated odds of disease are wrong by a factor either way."""
    if there.prevalence is None:
        return []
    found = []
    for factor in (1 / DOUBT, DOUBT):
        low, high = expit(logit(np.array(there.prevalence)) + np.log(factor))
        other = mix(there.home, there.pool, there.frozen, (float(low), float(high)), there.costs)
        found.append(
            WrongOddsPart.of(
                other,
                factor=factor,
                threshold=there.value(other.cut),
                call_rate=there.call_rate(other.cut),
            )
        )
    return found
