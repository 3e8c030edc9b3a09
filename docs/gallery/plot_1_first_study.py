"""
A first study
=============

569 patients with a breast mass, and one number of a needle aspirate: the mean perimeter of the
three largest nuclei. From which value on is a patient to be called? (Wolberg's data, as they
come with scikit-learn.)
"""

# %%
# One score and one label a patient
# ---------------------------------
# Here a patient has one row already. A table of cells or tiles goes through
# :func:`steadycut.aggregate` first.

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

import steadycut
from steadycut.show.figures import CertificateDisplay, RiskCurveDisplay, ThresholdDrawsDisplay

data = load_breast_cancer(as_frame=True)
malignant = (data.target == 0).astype(int)
patients = steadycut.PatientScores(scores=data.data["worst perimeter"], labels=malignant)
print(patients.n_patients, "patients,", patients.n_positive, "with cancer")

# %%
# Choose, freeze, certify
# -----------------------
# A missed cancer is to cost as much as five false alarms. Half of the patients choose the cut-off,
# the other half certify it.

study = steadycut.fit(patients, cost_fn=5, cost_fp=1)
certificate = study.certificate
print(f"call a patient from {study.threshold:.1f} on")
print(f"observed risk {certificate.risk:.3f}, certified at most {certificate.value:.3f}")
print(f"a rule without any score: {certificate.trivial_risk:.3f}")

# %%
# How the risk depends on the cut-off
# -----------------------------------
# Among the patients who chose. Left of the cut-off there are more false alarms, right of it more
# cancers are missed.

fig, ax = plt.subplots(layout="constrained")
RiskCurveDisplay.from_study(study).plot(ax)
plt.show()

# %%
# Where other patients would have put it
# --------------------------------------
# The patients are drawn again 200 times, and the whole rule is run on each cohort.

fig, ax = plt.subplots(layout="constrained")
ThresholdDrawsDisplay.from_study(study).plot(ax)
plt.show()

# %%
# Who would be decided on otherwise
# ---------------------------------
# The share of these cohorts that would decide otherwise about a patient: his flip probability.
# Patients near the cut-off are the grey zone, and are worth a second look.

flips = study.flip_probability(study.certify_patients.scores)
print(f"flip-rate {study.flip_rate:.1%}; {(flips >= 0.1).sum()} of {flips.size} patients are grey")

# %%
# What the certificate is made of
# -------------------------------

fig, ax = plt.subplots(layout="constrained")
CertificateDisplay.from_study(study).plot(ax)
plt.show()
