"""How Sphinx makes the site: Markdown pages, numpydoc docstrings, an executed gallery; offline."""

import warnings

from steadycut import ExperimentalWarning, __version__

# Sphinx looks at every public name; the reference says which are experimental.
warnings.simplefilter("ignore", ExperimentalWarning)

project = "steadycut"
author = "The steadycut developers"
copyright = author  # noqa: A001
version = release = __version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery"]
templates_path = ["_templates"]
highlight_language = "text"

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

autosummary_generate = True
# Where file names know no case, audit and Audit would be one page.
autosummary_filename_map = {
    f"steadycut.{name}": f"steadycut.{name}-class" for name in ("Audit", "Monitor", "Plan")
}
autodoc_member_order = "bysource"
autodoc_typehints = "none"
# scikit-learn's own, with links into its own site.
autodoc_default_options = {
    "exclude-members": ", ".join(
        f"set_{method}_request" for method in ("decision_function", "fit", "predict", "score")
    ),
}
# The members of a class stand on its page already.
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "examples",
    "filename_pattern": r"\.py$",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 10_000,
    "write_computation_times": False,
    "remove_config_comments": True,
    "within_subsection_order": "FileNameSortKey",
}

html_theme = "pydata_sphinx_theme"
html_title = "steadycut"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
