"""
A scorer and its cut-off
========================

Thirty measurements a patient instead of one: the scorer has to be learnt as well.
:class:`steadycut.StableThresholdClassifier` learns both on some patients, and the others certify
what is deployed.
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
# Scores are cross-fitted: no model scores a patient whom it saw. The scorer is fitted again in
# each of the 25 bootstrap cohorts.

model = steadycut.StableThresholdClassifier(
    make_pipeline(StandardScaler(), LogisticRegression()),
    cost_fn=5,
    n_bootstrap=25,
    random_state=0,
)
model.fit(X, malignant)
certificate = model.study_.certificate
print(f"cut-off {model.threshold_:.3f} on the probability")
print(f"observed risk {certificate.risk:.3f}, certified at most {certificate.value:.3f}")
print(f"{certificate.n_patients} patients certify scorer and cut-off together")

# %%
# The curve
# ---------
# It is flat over a long stretch: a good scorer forgives a bad cut-off. The rule takes a cut well
# inside of that stretch, not the first one that happens to be best.

fig, ax = plt.subplots(layout="constrained")
RiskCurveDisplay.from_study(model.study_).plot(ax)
plt.show()
