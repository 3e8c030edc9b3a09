"""What ``adapt.json`` says."""

from typing import Any

import numpy as np
from scipy.special import expit, logit

from steadycut.core.adapt.mix import DOUBT, mix
from steadycut.documents.adaptation import CandidateCutPart, LabelsPart, WrongOddsPart
from steadycut.study.adapt.before import Situation
from steadycut.study.adapt.labels import Judged


def candidate_parts(there: Situation, cut: float, judged: Judged | None) -> list[CandidateCutPart]:
    """Return the cut-offs of the menu, with what the labels say about each."""
    found = []
    for place, one in enumerate(there.menu):
        seen: dict[str, Any] = {}
        if judged is not None:
            counts = judged.counts[place]
            seen = {
                "missed": counts.fn,
                "alarms": counts.fp,
                "risk": counts.risk(there.costs),
                "limit": float(judged.limits[place]),
            }
        found.append(
            CandidateCutPart(
                name=one.name,
                threshold=there.value(one.cut),
                call_rate=there.call_rate(one.cut),
                weight=one.weight,
                chosen=one.cut == cut,
                **seen,
            )
        )
    return found


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
            WrongOddsPart(
                factor=factor,
                prevalence=other.prevalence,
                threshold=there.value(other.cut),
                call_rate=there.call_rate(other.cut),
            )
        )
    return found
