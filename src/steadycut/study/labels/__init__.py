"""Labels at the next hospital: how many, whose, and what they say.

==========  ==================================================
``needed``  how many labels certify a target
``draw``    labelling plans: whom to label for an audit
``limits``  what labels that a plan drew say about the rule
==========  ==================================================
"""
