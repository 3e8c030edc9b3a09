"""Instance scores are turned into one score per patient.

==================  =================================================================
``aggregators``     the registry of aggregators, and chains of them
``exact_sums``      sums whose last bit does not depend on the order of the rows
``clusters``        how similar the instances of one patient are: design effect
==================  =================================================================
"""
