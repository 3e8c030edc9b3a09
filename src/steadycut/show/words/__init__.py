"""Every sentence that a person reads, one module per subject, and how numbers are written.

=============  ====================================================================
``numbers``    how every number is written
``sentences``  results as sentences
=============  ====================================================================
"""
