"""
Every figure of a study
=======================

A study has more figures than the two or three that a paper shows.
:func:`~steadycut.show.figures.displays_of` returns all of them, by name.
"""

# %%
# A study
# -------

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

import steadycut
from steadycut.show.figures import displays_of

data = load_breast_cancer(as_frame=True)
malignant = (data.target == 0).astype(int)
patients = steadycut.PatientScores(scores=data.data["mean texture"], labels=malignant)
study = steadycut.fit(patients, cost_fn=3, cost_fp=1)

# %%
# Its figures
# -----------
# The content of ``study.json``, which is ``study.to_dict()``, gives the same figures. So they can
# be drawn again from the file, without the patients.

figures = displays_of(study)
print(*figures)

# %%
# All of them
# -----------

for name, display in figures.items():
    fig, ax = plt.subplots(layout="constrained")
    display.plot(ax)
    fig.suptitle(name.replace("-", " "))
plt.show()
