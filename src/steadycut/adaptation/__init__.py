"""The cut-off for the next hospital.

=============  =============================================================================
``adapt``      the function that users call, and whom to label next
``before``     what is known before any label: the patients here, the cut-offs to choose from
``labels``     what the labels say: the chosen cut-off, and limits that hold
``rule``       the new frozen rule, with the hash of its parent
``next_step``  what to do next, and how many labels that takes
``switch``     what a new software version does to the decisions
``control``    changes under a change-control plan
``chain``      the chain of versions that they leave, replayed
=============  =============================================================================
"""
