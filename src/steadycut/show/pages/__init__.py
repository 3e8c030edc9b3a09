"""Pages, one module per kind of document; each puts sections together.

==================  =================================================================
``study``           one cut-off
``audit``           a frozen file at another hospital
``comparison``      every rule at two hospitals
``strata``          ordered risk strata
``covariate``       cut-offs by group, or along a number
``monitor``         a frozen file in use, patient by patient
``adaptation``      the cut-off for the next hospital
``rule``            a frozen file by itself
``switch``          the same patients scored by two versions
``plan``            how many patients for which certificate
``kinds``           which page each kind of document has
``applied``         what a frozen file decided about the patients of a table, in one line
``page``            what a page is made of, and what builds its parts
==================  =================================================================
"""
