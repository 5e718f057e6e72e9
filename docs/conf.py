"""The documentation site: Sphinx reads docs/*.md as they stand, runs notebooks and docstrings."""

from __future__ import annotations

import re
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

project = "halfmask"
author = "The halfmask authors"
project_copyright = "The halfmask authors; BSD-3-Clause"
version = release = installed("halfmask")

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx_copybutton"]
root_doc = "index"
exclude_patterns = ["pictures/README.md"]
html_theme = "furo"
html_title = f"halfmask {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["output.schema.json", "asset.schema.json"]
html_show_sphinx = False
html_copy_source = False
smartquotes_action = "qe"  # quotes and ellipses; two hyphens are an option

# Links to headings are GitHub's, so that pages read the same there.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120

# Code blocks show what is typed after a $; copying leaves it out.
copybutton_prompt_text = "$ "

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
default_role = "code"

_OPTION = re.compile(r"^    (\w+): (.*)$")
_HEADING = re.compile(r"^(Options of the method [\w-]+|Settings):$")


def _options_as_lists(_app: Any, _what: str, name: str, *rest: Any) -> None:
    """The options that `help()` shows of `publish` and `Generator`, as lists."""
    lines = rest[-1]
    if name not in ("halfmask.publish", "halfmask.Generator"):
        return
    found = []
    for line in lines:
        if heading := _HEADING.match(line):
            found += [f".. rubric:: {heading[1]}", ""]
        elif option := _OPTION.match(line):
            found.append(f"* ``{option[1]}``: {option[2].replace('*', chr(92) + '*')}")
        else:
            found.append(line)
    lines[:] = found


FROM_ROOT = {name: f"{name.upper()}.md" for name in ("changelog", "contributing", "security")}
"""Pages that stand at the root of the checkout, where forges look for them."""


def _page_of_root(_app: Any, name: str, text: list[str]) -> None:
    """The page at the root in the place of the one that points to it, links turned with it."""
    if name not in FROM_ROOT:
        return
    page = (Path(__file__).parents[1] / FROM_ROOT[name]).read_text(encoding="utf-8")
    page = page.replace("](docs/", "](").replace("](README.md", "](index.md")
    for other, file in FROM_ROOT.items():
        page = page.replace(f"]({file}", f"]({other}.md")
    text[0] = page


def setup(app: Any) -> None:
    """What this site adds to Sphinx."""
    app.connect("source-read", _page_of_root)
    app.connect("autodoc-process-docstring", _options_as_lists)
