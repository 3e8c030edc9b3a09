"""Ordered risk strata: several boundaries chosen together.

==================  =================================================================
``costs``           the cost of putting a patient of each grade into each stratum
``cuts``            patients -> the cost of every boundary at every cut
``rules``           the rules that choose all boundaries together
``two_cuts``        the rule that rules out and rules in by two rates
``draws``           what a rule chooses on resampled patients; flips between strata
``modulus``         the cost of an error in all boundaries at once, and its band
``certify``         bounds on the mean cost and on the error rates at each boundary
``diagnose``        warnings about empty strata and unsettled boundaries
==================  =================================================================
"""
