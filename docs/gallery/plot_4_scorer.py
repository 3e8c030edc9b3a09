"""
A scorer and its cut-off
========================

Each patient has thirty measurements instead of one score, so a scorer must be trained as well.
:class:`steadycut.StableThresholdClassifier` uses some patients to train the scorer and choose the
cut-off, and the others to check both together.
"""

# %%
# The data
# --------

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import steadycut
from steadycut.show.figures import RiskCurveDisplay

X, y = load_breast_cancer(return_X_y=True)
malignant = 1 - y

# %%
# Fit
# ---
# Scores are cross-fitted: no model scores a patient on whom it was trained. The scorer is fitted
# again in each of the 25 bootstrap cohorts.

model = steadycut.StableThresholdClassifier(
    make_pipeline(StandardScaler(), LogisticRegression()),
    cost_fn=5,
    n_bootstrap=25,
    random_state=0,
)
# Each row is a patient.
model.fit(X, malignant, groups=range(len(X)))
certificate = model.study_.certificate
print(f"cut-off {model.threshold_:.3f} on the probability")
print(f"observed risk {certificate.risk:.3f}, certified at most {certificate.value:.3f}")
print(f"{certificate.n_patients} patients were used to check scorer and cut-off together")

# %%
# The curve
# ---------
# It is flat over a long stretch: with a good scorer the exact cut-off matters little. The rule
# takes a cut well inside that stretch, not the first one that happens to be best.

fig, ax = plt.subplots(layout="constrained")
RiskCurveDisplay.from_study(model.study_).plot(ax)
plt.show()
