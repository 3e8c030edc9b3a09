"""
The rule somewhere else
=======================

442 patients with diabetes, and how far the disease went within a year (Efron and others, as they
come with scikit-learn). A cut-off on the body mass index is chosen on those under 50 and taken to
those of 50 and more. Age stands in for the next hospital here; what happens is the same.
"""

# %%
# Two groups of patients
# ----------------------
# A patient is ill here if the measure of progression exceeds 200.

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

import steadycut
from steadycut.show.figures import ShiftDisplay

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
# Judge it there
# --------------
# Is the rule useful there, is it as good as before, is it within what was certified? The worst of
# the three answers is the overall verdict.

audit = steadycut.audit(rule, bmi[~young], ill[~young])
found = audit.describe()
print("overall:", found.verdict.overall)
for question in found.questions:
    print("-", question.text)
print(f"risk there {found.risk_external:.3f}, at most {found.bound_external:.3f}")

# %%
# Where the change comes from
# ---------------------------
# More ill patients, ill patients with other scores, or healthy ones with other scores: the three
# parts add up to the change of the risk.

fig, ax = plt.subplots(layout="constrained")
ShiftDisplay.from_audit(audit).plot(ax)
plt.show()
