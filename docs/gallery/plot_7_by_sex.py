"""
A cut-off for each sex?
=======================

These are the 442 patients with diabetes again. Do men and women need different cut-offs on the body
mass index, or is one enough for both? Two halves of any data give two different cut-offs. The
question is whether the difference is more than chance, and whether it lowers the risk.
"""

# %%
# The data
# --------
# scikit-learn's description calls the column sex, with values 1 and 2. It does not say which value
# is which sex, so they stay numbers here.

from sklearn.datasets import load_diabetes

import steadycut

data = load_diabetes(as_frame=True, scaled=False)
ill = (data.target > 200).astype(int)
sex = data.data["sex"].astype(int).astype(str)
patients = steadycut.PatientScores(scores=data.data["bmi"], labels=ill)

# %%
# Both answers, certified
# -----------------------
# Each group gets a cut-off between its own and the pooled one. The stronger the evidence for a
# difference, the closer it is to its own. The patients used to check judge both rules.

study = steadycut.fit_by_covariate(patients, covariate=sex, name="sex")
for group, threshold in zip("12", study.thresholds, strict=True):
    print(f"sex {group}: cut-off {threshold:.1f}")
print(f"is one cut-off enough? p = {study.test.p_value:.2f}")
print(f"by sex: certified risk {study.certificate.value:.3f}")
print(f"one for both: certified risk {study.pooled_certificate.value:.3f}")

# %%
# The data do not support two cut-offs: both groups end up with the pooled one, and the test does
# not find a difference. Decide by the test before you look at the certificates: it does not use the
# patients used to check.
