"""
What a miss costs
=================

How many false alarms is one missed cancer worth? Only clinicians can answer that. This example
shows the same patients with four different answers.
"""

# %%
# The data
# --------

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

import steadycut
from steadycut.show.figures import RiskCurveDisplay

data = load_breast_cancer(as_frame=True)
malignant = (data.target == 0).astype(int)
patients = steadycut.PatientScores(scores=data.data["worst perimeter"], labels=malignant)

# %%
# Four answers, four cut-offs
# ---------------------------
# The more expensive a miss, the lower the cut-off, and the more patients are called. Sensitivity
# and specificity come from the patients used to check, with 95 % confidence intervals.

studies = {cost: steadycut.fit(patients, cost_fn=cost, cost_fp=1) for cost in (1, 3, 10, 30)}
for cost, study in studies.items():
    point = study.operating_point().fixed
    parts = [f"{cost:2d} : 1  cut-off {study.threshold:5.1f}"]
    for name in ("sensitivity", "specificity"):
        low, high = point[name].interval
        parts.append(f"{name} {point[name].value:.3f} ({low:.3f} to {high:.3f})")
    print("  ".join(parts))

# %%
# The curves
# ----------
# Risks with different costs have different units. Compare each curve with its own dashed line, the
# cost of calling everybody or nobody.

fig, axes = plt.subplots(2, 2, figsize=(10, 8), layout="constrained")
for ax, (cost, study) in zip(axes.flat, studies.items(), strict=True):
    RiskCurveDisplay.from_study(study).plot(ax=ax)
    ax.set_title(f"a miss costs {cost} false alarms", pad=32)
plt.show()
