"""What others would do at the next hospital; each gives one cut-off a pair of costs."""

import numpy as np
from scipy.special import expit, logit
from settings import COSTS, peers, ranked

from steadycut.core.adapt.refit import agreeing_shift

SPREAD = 0.7


class Logistic:
    """Platt's logistic regression on the score at the first hospital."""

    def __init__(self, scores, labels):
        order = np.argsort(scores, kind="stable")
        rows = ranked.Ranked(scores[order][None], labels[order][None])
        self.middle, self.spread = scores.mean(), scores.std() + 1e-300
        covariate = (rows.scores - self.middle) / self.spread
        targets, weight = ranked.platt_targets(rows), np.ones(covariate.shape)
        self.line = ranked.fit_logistic(covariate, targets, weight, 2e-9)

    def odds(self, scores):
        return self.line[0, 0] + self.line[1, 0] * (scores - self.middle) / self.spread

    def cuts(self, shift=0.0):
        line = self.line + np.array([[shift], [0.0]])
        places = [ranked.place_of(line, ranked.log_odds(pair))[0] for pair in COSTS]
        return self.middle + self.spread * np.array(places)


def at_prevalence(case, home, stated):
    """Prior shift, and a move of the intercept until the mean risk is the stated prevalence."""
    share = float(np.clip(stated, 1e-3, 1 - 1e-3))
    odds = home.odds(case.unlabelled)
    full = agreeing_shift(odds, np.ones(odds.size), share * odds.size)
    return {
        "prior shift": home.cuts(logit(share) - logit(case.labels.mean())),
        "full move": home.cuts(full),
        "half move": home.cuts(full / 2),
    }


def with_labels(case, home, m):
    scores, labels = case.drawn[0][:m], case.drawn[1][:m]
    odds, ill = home.odds(scores), float(labels.sum())
    shift = agreeing_shift(odds, np.ones(m), ill, 0.0, SPREAD)
    order = np.argsort(scores, kind="stable")
    rows = ranked.Ranked(scores[order][None], labels[order][None])
    local = {"local erm": peers.erm(rows, COSTS)}
    local["local logistic"] = ranked.logistic_on_scores(rows, COSTS)
    found = {name: np.array(cuts)[:, 0] for name, cuts in local.items()}
    return {"recalibration in the large": home.cuts(shift)} | found


def moved_odds(prevalence, factor):
    return float(expit(logit(prevalence) + np.log(factor)))
