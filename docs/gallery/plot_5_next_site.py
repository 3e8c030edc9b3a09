"""
The rule at another place
=========================

There are 442 patients with diabetes, and a measure of how far the disease progressed within a year
(Efron and others, as they come with scikit-learn). A cut-off on the body mass index is chosen on
patients under 50 and used for patients of 50 and more. The two age groups play the role of two
hospitals.
"""

# %%
# Two groups of patients
# ----------------------
# A patient counts as ill if the measure of progression exceeds 200.

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

import steadycut
from steadycut.show.figures import PatientsDisplay

data = load_diabetes(as_frame=True, scaled=False)
ill = (data.target > 200).astype(int)
young = data.data["age"] < 50
bmi = data.data["bmi"]
for name, group in (("under 50", young), ("50 and more", ~young)):
    print(f"{name}: {group.sum()} patients, {ill[group].mean():.0%} ill")

# %%
# Choose and freeze
# -----------------

here = steadycut.PatientScores(scores=bmi[young], labels=ill[young])
study = steadycut.fit(here)
rule = study.freeze()
print(f"call from a BMI of {study.threshold:.1f} on; certified risk {study.certificate.value:.3f}")

# %%
# Audit it there
# --------------
# Is the rule useful there, and is it as good as before? The answers make the decision.

audit = steadycut.audit(rule, bmi[~young], ill[~young])
found = audit.describe()
print("decision:", found.verdict.decision)
print(audit.summary())
print(f"risk there {found.risk_external:.3f}, at most {found.bound_external:.3f}")

# %%
# What it looks like
# ------------------
# Ill patients stand above the line, healthy ones below it. Crosses are missed, triangles are false
# alarms. Grey: as many patients of the first hospital.

fig, ax = plt.subplots(layout="constrained")
PatientsDisplay.from_audit(audit).plot(ax)
plt.show()
