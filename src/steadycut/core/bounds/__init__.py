"""Upper bounds on the risk, and on the risk that a wrong threshold can cost.

==================  =================================================================
``binomial``        limits of a rate: exact at one cut, or valid at all cuts
``buehler``         the exact bound on the mean cost, for any two costs
``scan``            all patients choose and check: exact for a target, computed for a limit
``betting``         the betting bound on a mean loss
``anytime``         limits of a mean that hold after every patient at once
``concentration``   every bound on the risk by its name, and which one ``auto`` takes
``modulus``         windows of the score; the risk that a threshold error can cost
``multiscale``      an upper band on the modulus, for all windows at once
==================  =================================================================
"""
