"""The flow: fit, describe, freeze, compare, plan, audit and monitor a cut-off."""
