"""The sections of a page, one module per kind of page or table."""
