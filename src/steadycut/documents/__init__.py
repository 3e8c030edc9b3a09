"""The files that steadycut writes and reads back, as typed documents.

===================  ==================================================================
``parts``            the base of every part, and the parts that documents share
``canonical_json``   JSON in one way only, with a hash over its own content
``known_patients``   patients who are recognised by hashes of their identifiers
``guards``           whether new patients are what a rule was made for
``frozen``           what all frozen files share
``rule``             rule.json: one cut-off
``strata``           strata.json: ordered risk strata; strata-study.json
``covariate``        covariate.json: cut-offs by covariate; covariate-study.json
``kinds``            every kind of frozen file, by its schema
``applied``          the decisions of a frozen file about a table
``shown``            what objects show of themselves: text, card, figure, report, tables
``next_step``        what to do next, as a record
``study``            study.json
``audit``            audit.json
``comparison``       compare.json
``adaptation``       adapt.json
``switch``           switch.json
``monitor``          monitor.json
``change_plan``      change_plan.json and the versions that follow it
``plan``             what a plan prints as JSON
``reading``          any of these files -> its document
``same_study``       whether results belong to another study
``signature``        who signed a file
===================  ==================================================================
"""
