"""The flow: choose, describe, freeze, compare, audit and monitor a cut-off.

====================  ======================================================================
``options``           everything that a study depends on besides the patients
``roles``             who is used to choose the cut-off, and who to check it
``choosing``          candidates -> one of them, or an ensemble, with its cut-off
``fitted``            a fitted study, as plain data
``operating_point``   what a cut-off does to patients, with two kinds of intervals
``curves``            risk, modulus and costs along the cut-off, for the figures
``explorer``          counts at many cut-offs, for the page
``useful``            the verdict of a fit: useful, and as good as asked for
``describe``          a fitted study -> study.json, and the rule for the next hospital
``reference``         what a rule keeps of its patients for a later audit
``small_cells``       results in which no number stands for few patients
``fit``               the whole flow: patients -> a study
``compare``           every rule chooses at one hospital and is judged at another
``plan``              how many patients for which certificate
``new_patients``      new patients as a frozen file takes them, with their grades
``unlabelled``        what the scores of a hospital tell without labels
``judge``             what labels of new patients say: risk, bounds, verdict
``questions``         the answers of an audit in sentences, and the next step
``audited``           what an audit found, and the document audit.json
``audit``             a frozen rule at another hospital
``monitor``           a frozen rule in use
``home``              the first hospital as a rule keeps it, and what is stated about the next
``labels``            labels at the next hospital: how many, whose, and what they say
``strata``            the same flow for ordered risk strata
``covariate``         the same flow for cut-offs by covariate
====================  ======================================================================
"""
