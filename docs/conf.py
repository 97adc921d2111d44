"""Sphinx settings: Markdown by MyST, equations as MathML, nothing fetched while building or reading."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "stickbreaker"
author = copyright = "the stickbreaker authors"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_design",
    "equations",
    "docstrings",
    "commands",
    "offline_search",
    "pictures",
]
exclude_patterns = ["_ext"]
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence", "attrs_block"]
myst_heading_anchors = 3

autodoc_typehints = "description"
autodoc_typehints_format = "short"
autodoc_typehints_description_target = "all"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 90
maximum_signature_line_length = 90
toc_object_entries_show_parents = "hide"

smartquotes = False  # quotes and dashes are often to be typed: pip install 'stickbreaker[figures]', --seed

html_theme = "furo"
html_title = "stickbreaker"
html_static_path = ["_static"]
html_css_files = ["stickbreaker.css"]
html_math_renderer = "mathml"
html_search_scorer = str(Path(__file__).parent / "_static" / "ranking.js")
html_show_sphinx = False
html_copy_source = False

REPORTS = Path(__file__).parents[1] / "build" / "reports"  # made before by `make docs`
if (REPORTS / "reports").is_dir():
    tags.add("reports")  # noqa: F821  (Sphinx gives it)
    html_extra_path = [str(REPORTS)]
