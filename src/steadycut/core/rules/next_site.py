"""Choose a cut-off whose mean miss rate, or alarm rate, at the next hospital is limited.

Conformal risk control over hospitals (Angelopoulos et al. 2024). M_k(t) is the share of the ill
patients of hospital k with a score below t. The rule takes the largest t with

    (M_1(t) + ... + M_K(t) + 1) / (K + 1) <= 1 - X.

If the K + 1 hospitals are exchangeable, sizes included, the expected sensitivity at the next one is
at least X. Every hospital counts alike, however many patients it has. The rule limits a mean over
hospitals, not a probability. For a specificity it takes the smallest such t.
"""

from dataclasses import dataclass

import numpy as np

from steadycut.core.checks import BoolArray, IntArray
from steadycut.core.cuts.risk_curve import TIE, Curve, count_errors
from steadycut.core.records import Costs, PatientScores
from steadycut.errors import BadOption, argument

SUFFIX = "@next-site"
RATES = ("sensitivity", "specificity")


@dataclass(frozen=True, slots=True)
class AtNextSite:
    """The cut with an expected rate of at least ``least`` at the next hospital."""

    rate: str
    least: float

    def __call__(self, curve: Curve, costs: Costs) -> IntArray:
        """Refuse: the counts of all hospitals together are not enough."""
        del curve, costs
        raise BadOption(f"the rule {self} needs every patient's site; it is a rule of fit alone.")

    def __str__(self) -> str:
        """Return the name of the rule."""
        return f"'{self.rate}:{self.least:g}{SUFFIX}'"

    def check_sites(self, patients: PatientScores) -> None:
        """Refuse patients without sites, too few sites, or a site without such patients."""
        if patients.sites is None:
            msg = f"the rule {self} needs every patient's site. Name it as {argument('site')}."
            raise BadOption(msg)
        label = int(self.rate == RATES[0])
        sites = set(patients.sites.tolist())
        counted = set(patients.sites[patients.known_labels == label].tolist())
        if sites != counted:
            who = "positive" if label else "negative"
            raise BadOption(
                f"the rule {self} needs a {who} patient used to choose at every site; "
                f"{len(sites - counted)} of {len(sites)} sites have none. Leave these sites out."
            )
        most = len(sites) / (len(sites) + 1)
        # Rounding must not refuse the largest value itself.
        if self.least > most + TIE:
            needed = int(np.ceil(self.least / (1 - self.least) - TIE))
            raise BadOption(
                f"{len(sites)} sites can promise a mean {self.rate} of at most {most:.3g} at the "
                f"next one; got {self.least:g}. Ask for less, or collect more sites: it needs "
                f"{needed} sites."
            )

    def choose(self, sites: IntArray) -> tuple[IntArray, BoolArray]:
        """Return the chosen cut of each replicate, and whether it keeps the limit.

        ``sites`` are the patients of each site counted between the cuts, shape (replicates, sites,
        2m). A site without such patients, which resampling can make, does not count.
        """
        curve = count_errors(sites)
        wrong, n = (
            (curve.misses, curve.n_positive)
            if self.rate == RATES[0]
            else (curve.alarms[..., ::-1], curve.n_negative)
        )
        known = np.count_nonzero(n[..., 0], axis=1)[:, None]
        total = (wrong / np.maximum(n, 1)).sum(axis=1)
        keeps = (total + 1) / (known + 1) <= 1 - self.least + TIE
        last = np.maximum(np.count_nonzero(keeps, axis=1) - 1, 0)
        cut = last if self.rate == RATES[0] else keeps.shape[1] - 1 - last
        return cut, keeps[:, 0]


def parse_next_site(text: str) -> AtNextSite | None:
    """Return the rule of such a name; None if it is not one.

    Examples
    --------
    >>> parse_next_site("sensitivity:0.8@next-site")
    AtNextSite(rate='sensitivity', least=0.8)
    """
    name, _, number = text.removesuffix(SUFFIX).partition(":")
    if not text.endswith(SUFFIX) or name not in RATES:
        return None
    try:
        least = float(number)
    except ValueError:
        return None
    return AtNextSite(name, least) if 0 < least < 1 else None
