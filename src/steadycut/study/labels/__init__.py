"""Labels at the next hospital: how many are needed.

==========  ==================================
``needed``  how many labels certify a target
==========  ==================================
"""
