"""Cut-offs that depend on a covariate."""
