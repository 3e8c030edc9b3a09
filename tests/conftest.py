"""Settings for every test."""

from hypothesis import settings

# A loaded machine is no reason to fail.
settings.register_profile("steadycut", deadline=None)
settings.load_profile("steadycut")
