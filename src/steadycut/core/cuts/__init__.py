"""The cuts that are tried, and what each one costs."""
