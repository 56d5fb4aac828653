"""How Sphinx builds the site; `sphinx-build -W docs docs/_build` from the repository's root."""

import os
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
MEMBERS = [HERE.parent / "core", *sorted(p.parent for p in HERE.parent.glob("plugins/*/*.toml"))]


def metadata(folder: Path) -> dict:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]


# The site is about our own distributions, whatever else is installed beside them.
os.environ["ILK_PLUGINS"] = ",".join(metadata(folder)["name"] for folder in MEMBERS)
sys.path.insert(0, str(HERE / "_ext"))

from ilk_gallery import chosen  # noqa: E402  # found by the path above

project = "ilk"
author = "ilk developers"
copyright = author  # noqa: A001  # Sphinx's name for it
version = release = metadata(HERE.parent)["version"]

extensions = [
    "ilk_claims",
    "ilk_formulas",
    "ilk_links",
    "ilk_reference",
    "ilk_sources",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "_ext", "gallery/*.ipynb", "gallery/*.py", "gallery/*.md5"]
default_role = "py:obj"

autodoc_inherit_docstrings = False  # a component's page need not repeat its interface
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say the types
napoleon_google_docstring = False
napoleon_custom_sections = [("Attributes", "params_style")]  # listed as parameters are
napoleon_use_rtype = False
myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3

sphinx_gallery_conf = {
    "examples_dirs": ["../examples/gallery"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": chosen(HERE.parent / "examples" / "gallery"),
    "within_subsection_order": "FileNameSortKey",
    "capture_repr": (),
    "download_all_examples": False,
    "inspect_global_variables": False,
    "image_scrapers": ("matplotlib",),
    "min_reported_time": 1e9,
    "reset_modules": ("matplotlib",),
    "show_signature": False,
    "write_computation_times": False,
    "abort_on_example_error": True,
}

html_theme = "furo"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["ilk.css"]
html_title = f"ilk {release}"
html_copy_source = False
