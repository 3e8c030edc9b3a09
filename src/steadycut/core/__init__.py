"""The mathematics of steadycut: pure functions on frozen records.

Scores come in oriented: a high score is called. The modules, in the order in which the data
travel:

==================  =================================================================
``checks``          checks of single values and arrays, with clear error messages
``class_names``     what patients of the two classes are called in texts
``rounding``        numbers are rounded for a reader, limits to the safe side
``labels``          label texts become 0 and 1
``frames``          columns as a data frame of pandas or polars
``records``         the records that the modules pass to each other
``aggregate``       instance scores -> one score per patient
``split``           patients -> those used to choose and those used to check
``cuts``            patients -> the cuts that are tried, and what each one costs
``confusion``       the four counts of one threshold, and its risk
``cost_change``     how much more a decision costs here than before, with limits
``survival``        what censored patients may hide at a horizon
``rates``           four counts -> sensitivity, predictive values, kappa, ...
``rules``           counts between the cuts -> the chosen cut
``bootstrap``       the chosen cut on resampled patients
``bounds``          upper bounds on the risk, and on the cost of a wrong threshold
``sites``           the sites of patients, and whether their scores are alike
``next_site``       what several hospitals say about the next one
``diagnose``        flip probabilities and warnings
``odd``             what looks like a mistake in the table
``parts``           identifiers that look like those of slides, images or records
``select``          of several ways to make scores, the best one (Algorithm 1)
``ensemble``        several ways to make scores, averaged on the quantile scale
``certify``         a frozen threshold and other patients -> a certificate
``break_even``      at which ratio of costs a cut-off starts and stops being useful
``asked_rates``     whether sensitivity and specificity are as high as asked for
``intervals``       confidence intervals of the cut-off and of what it does
``shift``           what differs between two hospitals
``verdict``         counts at two hospitals -> a decision about a frozen rule
``monitor``         patients one after another -> an alarm that is valid at any time
``planning``        how many patients a study needs, and with which power
``adapt``           the cut-off for the next hospital
``strata``          ordered risk strata
``covariate``       cut-offs that depend on a covariate
==================  =================================================================
"""
