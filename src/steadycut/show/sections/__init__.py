"""Sections that pages are made of.

===================  ================================================================
``certificate``      the upper limit on the risk, term by term
``two_cuts``         rule out and rule in: both sides, and the patients between
``characteristics``  what a cut-off does to patients, with intervals
``survival``         what unknown fates at a horizon may change
``next_site``        what several hospitals say about the next one
``choice``           how a cut-off was chosen, and from which candidates
``stability``        how far a cut-off may move, and how much may change elsewhere
``comparison``       every rule at two hospitals
``verdict``          the answers of an audit, every site and group, the next step
``bounds``           the risk at another hospital, and where its change comes from
``decisions``        which decision patients get elsewhere, and errors between them
``explorer``         the words around the explorer
``methods``          text for a paper
``checklist``        what STARD 2015 and TRIPOD+AI ask for
===================  ================================================================
"""
