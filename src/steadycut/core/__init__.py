"""The mathematics of steadycut: pure functions on frozen records.

Files in the order in which the data travel:

==================  ===============================================================
``checks``          single values and arrays, refused with a reason
``records``         the records that the files hand to each other
``aggregate``       instance scores -> one score a patient
``clusters``        how alike the instances of a patient are, and what they are worth
``split``           patients -> those who choose and those who certify
``left_cdf``        share of a class strictly below a cut
``cuts``            patients -> the cuts that are tried, and patients counted between them
``risk_curve``      counts between cuts -> misses and alarms at every cut
``flat``            a curve -> the middle of its widest flat minimum
``pointwise``       figure 1: the rule that adds an instability map to the curve
``resample``        counts -> counts of resampled patients
``stratify``        counts of strata -> resampled patients with as many of each
``characteristics`` four counts -> sensitivity, predictive values, kappa, net benefit, ...
``criteria``        every criterion by which a cut can be chosen; ``criteria_rule`` takes the best
                    cut by one, within limits; ``criteria_scores`` looks at the scores themselves
``kernel_youden``   Youden's index from kernel estimates of the two classes
``rules``           a rule along the cuts, by its name: stable, erm, youden, ppv:0.9, ...
``bootstrap``       resampled patients -> draws of the whole rule
``radius``          draws -> bias, quantile, radius
``modulus``         how much risk a cut-off error of a given size can cost, and its band
``monotone``        a modulus that was evaluated with noise, made monotone
``diagnose``        flip-rate, grey zone, warnings
``select``          Algorithm 1: the candidate with the smallest risk plus penalty
``strata_*``        ordered risk strata: costs, curves of all boundaries, joint rules, draws,
                    modulus, certificates, warnings
``confusion``       what one threshold does to patients with known labels
``paired``          the risks of two cut-offs on the same patients, compared
``concentration``   one function a bound on the generalisation term
``buehler``         the exact bound for unequal costs
``certify``         a frozen cut-off, patients who did not choose it -> a certificate
``covariate_*``     cut-offs by covariate: slices and windows, test, cuts drawn to the pooled one
``shift``           what changes between two hospitals, at the cut-off
==================  ===============================================================
"""
