"""
Cut-offs that move and cut-offs that stay
=========================================

Four rules choose a cut-off on the same 100 patients. What would they choose on other patients?
"""

# %%
# A hundred patients
# ------------------
# The score is the mean texture of the cell nuclei. It separates the classes only moderately, like
# most scores.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

import steadycut
from steadycut.show.figures import ThresholdDrawsDisplay

data = load_breast_cancer(as_frame=True)
scores = data.data["mean texture"].to_numpy()
malignant = (data.target == 0).to_numpy().astype(int)
hundred = np.random.default_rng(0).permutation(scores.size)[:100]
few = steadycut.PatientScores(scores=scores[hundred], labels=malignant[hundred])

# %%
# Where each rule would put the cut-off
# -------------------------------------
# The bootstrap runs each rule again on resampled patients.

RULES = ("stable", "erm", "youden", "sensitivity:0.95")
fig, axes = plt.subplots(2, 2, figsize=(10, 8), layout="constrained", sharex=True)
for ax, rule in zip(axes.flat, RULES, strict=True):
    study = steadycut.fit(few, rule=rule, honesty="uniform", grid="exact")
    ThresholdDrawsDisplay.from_study(study).plot(ax=ax)
    ax.set_title(f"{rule}: {study.threshold:.1f}, {study.flip_rate:.1%} reversed", pad=32)
plt.show()

# %%
# On the patients who were not drawn
# ----------------------------------
# How often is each cut-off wrong for the other 469 patients? One draw of a hundred patients does
# not prove anything, so this is the mean of 100 draws, with its standard error.


def errors(rule):
    """Return how often the cut-off of each draw is wrong for the patients not drawn."""
    wrong = []
    for seed in range(100):
        order = np.random.default_rng(seed).permutation(scores.size)
        drawn, rest = order[:100], order[100:]
        cohort = steadycut.PatientScores(scores=scores[drawn], labels=malignant[drawn])
        study = steadycut.fit(cohort, rule=rule, honesty="uniform", grid="exact", n_bootstrap=2)
        wrong.append(np.mean((scores[rest] >= study.threshold) != malignant[rest]))
    return np.array(wrong)


for rule in ("stable", "erm", "youden"):
    wrong = errors(rule)
    print(f"{rule:7s} {wrong.mean():.4f} +- {wrong.std() / 10:.4f}")
