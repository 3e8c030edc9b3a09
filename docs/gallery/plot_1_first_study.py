"""
A first study
=============

There are 569 patients with a breast mass, and one number from a needle aspirate: the mean
perimeter of the three largest nuclei. From which value on should a patient be called? (Wolberg's
data, as they come with scikit-learn.)
"""

# %%
# One score and one label per patient
# -----------------------------------
# Here each patient already has one row. A table of cells or tiles goes through
# :func:`steadycut.aggregate` first.

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

import steadycut
from steadycut.show.figures import RiskCurveDisplay, ThresholdDrawsDisplay

data = load_breast_cancer(as_frame=True)
malignant = (data.target == 0).astype(int)
patients = steadycut.PatientScores(scores=data.data["worst perimeter"], labels=malignant)
print(patients.n_patients, "patients,", patients.n_positive, "with cancer")

# %%
# Choose, freeze, certify
# -----------------------
# A missed cancer costs as much as five false alarms. Half of the patients are used to choose the
# cut-off, the other half to check it.

study = steadycut.fit(patients, cost_fn=5, cost_fp=1)
certificate = study.certificate
print(f"call a patient from {study.threshold:.1f} on")
print(f"observed risk {certificate.risk:.3f}, certified at most {certificate.value:.3f}")
print(f"calling everybody or nobody: {certificate.trivial_risk:.3f}")

# %%
# How the risk depends on the cut-off
# -----------------------------------
# The figure shows the patients used to choose. Left of the cut-off there are more false alarms,
# right of it more cancers are missed.

fig, ax = plt.subplots(layout="constrained")
RiskCurveDisplay.from_study(study).plot(ax)
plt.show()

# %%
# Where a repeated study would put it
# -----------------------------------
# The patients are drawn again 200 times, and the whole rule is run on each cohort.

fig, ax = plt.subplots(layout="constrained")
ThresholdDrawsDisplay.from_study(study).plot(ax)
plt.show()

# %%
# Decisions that a resampled study reverses
# -----------------------------------------
# For each patient, this is the share of the cohorts above that would decide differently. Patients
# near the cut-off are in the grey zone, and deserve a second look.

reversed_share = study.flip_probability(study.certify_patients.scores)
print(f"a resampled study reverses {study.flip_rate:.1%} of the decisions")
print(f"two studies would disagree about {study.disagreement.mean:.1%} of the patients")
print(f"{(reversed_share >= 0.1).sum()} of {reversed_share.size} patients are in the grey zone")
