"""The cuts that are tried, and what each one costs.

==================  =================================================================
``grid``            patients -> the cuts, and the patients counted between them
``risk_curve``      counts between the cuts -> misses, alarms and risk at every cut
==================  =================================================================
"""
