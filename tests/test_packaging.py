"""What is shipped: one version, a whole source archive, recipes in step with the package."""

from __future__ import annotations

import re
import tarfile
import tomllib
from pathlib import Path

import jinja2
import pytest
import yaml

import halfmask

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def names(requirements: list[str]) -> set[str]:
    """Requirements without blanks: conda writes them with one before the bound."""
    return {re.sub(r"\s+", "", text) for text in requirements}


def test_the_version_stands_in_one_place():
    """pyproject.toml has it; the package asks its metadata, and what must repeat it is in step."""
    version = PROJECT["project"]["version"]
    assert halfmask.__version__ == version
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == version
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None
    assert newest[1] == version
    for path in (ROOT / "src").rglob("*.py"):
        assert f'"{version}"' not in path.read_text(), f"{path} repeats the version"


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """The names in the source archive, without its own folder."""
    pytest.importorskip("scikit_build_core", reason="the build tools are not installed")
    from scikit_build_core.build import build_sdist

    folder = tmp_path_factory.mktemp("sdist")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        name = build_sdist(str(folder))
    with tarfile.open(folder / name) as packed:
        return {member.partition("/")[2] for member in packed.getnames()}


def test_the_source_archive_has_what_a_build_needs_and_no_more(archive):
    kernels = {str(path.relative_to(ROOT)) for path in (ROOT / "native").rglob("*.[ch]pp")}
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "src").rglob("*.py")}
    pages = {str(path.relative_to(ROOT)) for path in (ROOT / "src").rglob("*.j2")}
    assert kernels
    assert pages
    assert kernels | modules | pages <= archive
    assert {"CMakeLists.txt", "pyproject.toml", "LICENSE", "README.md", "PKG-INFO"} <= archive
    heavy = [name for name in archive if name.startswith((".venv", "build/", "docs/", ".github/"))]
    assert not heavy


def test_the_conda_recipe_needs_what_the_package_needs():
    """Rendered as conda-build does, with its functions for files and compilers."""
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)  # noqa: S701
    loaded = environment.from_string((ROOT / "conda" / "meta.yaml").read_text()).render(
        load_file_data=lambda path, from_recipe_dir: tomllib.loads(
            (ROOT / "conda" / path if from_recipe_dir else Path(path)).read_text()
        ),
        compiler=lambda language: f"{language}_compiler",
        stdlib=lambda language: f"{language}_stdlib",
        PYTHON="python",
    )
    recipe = yaml.safe_load(loaded)
    needs = recipe["requirements"]
    assert recipe["package"]["version"] == PROJECT["project"]["version"]
    assert names(needs["run"]) == names(PROJECT["project"]["dependencies"]) | {"python"}
    assert names(PROJECT["build-system"]["requires"]) <= names(needs["host"])


def test_wheels_are_built_for_every_platform_that_is_promised():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "wheels.yml").read_text())
    built = {one["platform"] for one in workflow["jobs"]["wheels"]["strategy"]["matrix"]["include"]}
    assert {"linux-x86_64", "linux-aarch64", "macos-arm64", "windows-amd64"} <= built
    least = PROJECT["project"]["requires-python"].removeprefix(">=").replace(".", "")
    assert f"cp{least}-*" in PROJECT["tool"]["cibuildwheel"]["build"]
    (stable,) = PROJECT["tool"]["scikit-build"]["overrides"]
    assert f"{stable['wheel']['py-api']}-*" in PROJECT["tool"]["cibuildwheel"]["build"]


@pytest.mark.parametrize("name", ["fault", "wish"])
def test_a_form_for_issues_warns_of_data(name):
    form = yaml.safe_load((ROOT / ".github" / "ISSUE_TEMPLATE" / f"{name}.yml").read_text())
    assert {"name", "description", "body"} <= form.keys()
    assert "no data of people" in str(form) or "Nobody's data" in str(form)
