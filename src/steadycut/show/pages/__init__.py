"""Pages, one module per kind of document; each puts sections together.

==================  ===================================================
``study``           one cut-off
``audit``           a cut-off at another hospital
``decision_audit``  risk strata, or cut-offs by covariate, elsewhere
``comparison``      every rule at two hospitals
``strata``          ordered risk strata
``covariate``       cut-offs by group, or along a number
``monitor``         a frozen file in use, patient by patient
``plan``            how many patients for which certificate
``kinds``           which page each kind of document has
==================  ===================================================
"""
