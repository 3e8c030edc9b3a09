"""Every sentence that a person reads, one module per subject, and how numbers are written.

==============  ====================================================================
``adaptation``  an adapted cut-off, a new version, and a chain of changes
``audit``       the verdict of an audit: three answers, and what they say together
``break_even``  at which costs a cut-off is useful, and what uneven stakes mean
``fields``      what fields, values and errors are called in the app
``monitor``     what a watch on a frozen rule says
``next_step``   what to do next, as each surface spells it
``numbers``     how every number is written
``sentences``   other results as sentences
``story``       the steps of the demo, with a line for each
``unlabelled``  what the scores alone tell, and what they cannot tell
==============  ====================================================================
"""
