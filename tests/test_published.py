"""What the public sees: the package page, CI, releases, the site, the conda recipe, the image.

The services that read these files are not here. These tests check that the files can be read, and
that everything in them agrees with the rest of the repository.
"""

import email
import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import jinja2
import pytest
import yaml

import steadycut._version

REPOSITORY = Path(__file__).resolve().parent.parent
ADDRESS = "https://github.com/steadycut/steadycut"
RAW = ADDRESS.replace("github.com", "raw.githubusercontent.com")
VERSION = steadycut._version.__version__
PYPROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT, GROUPS = PYPROJECT["project"], PYPROJECT["dependency-groups"]
YAML_FILES = [
    ".readthedocs.yaml",
    *sorted(path.relative_to(REPOSITORY).as_posix() for path in REPOSITORY.glob(".github/*/*.yml")),
]
# Packages whose name in conda is another one.
IN_CONDA = {"duckdb": "python-duckdb"}


def text_of(name):
    return (REPOSITORY / name).read_text(encoding="utf-8")


def read(name):
    return yaml.safe_load(text_of(name))


def known_pythons():
    """Return the versions of Python that the package claims, such as 3.11."""
    names = [name.rpartition(" ")[2] for name in PROJECT["classifiers"] if ":: 3." in name]
    assert PROJECT["requires-python"] == f">={names[0]}"
    return names


def build_wheel(source, folder):
    code = f"from hatchling.build import build_wheel; build_wheel({str(folder)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=source, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def metadata_of(wheel):
    with zipfile.ZipFile(wheel) as opened:
        (name,) = (name for name in opened.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(opened.read(name))


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The metadata of the built package; their text is the page of the package."""
    return metadata_of(build_wheel(REPOSITORY, tmp_path_factory.mktemp("wheel")))


# The page of the package -------------------------------------------------------------------


def test_every_link_of_the_package_page_is_a_whole_address_of_an_existing_file(page):
    text = page.get_payload(decode=True).decode("utf-8")
    targets = re.findall(r"\]\(([^)]+)\)", text)
    pages, images = f"{ADDRESS}/blob/v{VERSION}/", f"{RAW}/v{VERSION}/"
    files = [target.removeprefix(pages).removeprefix(images) for target in targets]
    assert len(files) > 10
    assert [file for file in files if not (REPOSITORY / file.partition("#")[0]).is_file()] == []
    assert [t for t, file in zip(targets, files, strict=True) if t == file] == []
    (image,) = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)
    assert image == f"{images}docs/images/report.png"


def test_apart_from_links_the_package_page_is_the_readme(page):
    def without_links(text):
        return re.sub(r"\]\([^)]+\)", "]", text)

    text = page.get_payload(decode=True).decode("utf-8")
    assert without_links(text) == without_links(text_of("README.md"))
    assert 'pip install "steadycut[cli]"' in text


def test_the_metadata_name_one_address_the_licence_and_each_python(page):
    addresses = [line.partition(", ")[2] for line in page.get_all("Project-URL")]
    assert ADDRESS in addresses
    assert [one for one in addresses if not one.startswith(ADDRESS)] == []
    assert page["License-Expression"] == "BSD-3-Clause"
    # Tools of 2026 that upload packages refuse later versions.
    assert page["Metadata-Version"] == "2.4"
    assert known_pythons() == ["3.11", "3.12", "3.13"]


@pytest.mark.parametrize("name", ["SECURITY.md", ".github/ISSUE_TEMPLATE/config.yml"])
def test_a_weakness_is_reported_to_one_private_address(name):
    assert f"{ADDRESS}/security/advisories/new" in text_of(name)


# Files of services -------------------------------------------------------------------------


def steps_of(name):
    return [step for job in read(name)["jobs"].values() for step in job.get("steps", [])]


def commands():
    """Yield each command that a workflow runs, by file."""
    for name in YAML_FILES:
        if "workflows" in name:
            for step in steps_of(name):
                if "run" in step:
                    yield name, step["run"]


@pytest.mark.parametrize("name", YAML_FILES)
def test_the_files_of_services_can_be_read(name):
    assert isinstance(read(name), dict)


def test_every_make_target_and_every_path_that_a_workflow_names_exists():
    makefile = text_of("Makefile")
    seen = 0
    for name, command in commands():
        for target in re.findall(r"\bmake ([a-z-]+)", command):
            seen += 1
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"{name}: make {target}"
        for path in re.findall(r"(?<![\w/])(?:tests|src|scripts|\.ci)/[\w./-]+", command):
            seen += 1
            assert (REPOSITORY / path).exists(), f"{name}: {path}"
    assert seen > 5


def test_extras_and_groups_that_services_install_exist():
    jobs = read(".readthedocs.yaml")["build"]["jobs"]["install"]
    lines = [*(command for _, command in commands()), *jobs, text_of("Makefile")]
    extras, groups = (
        {name for line in lines for name in re.findall(pattern, line)}
        for pattern in (r"\.\[([a-z]+)\]", r"--group ([a-z]+)")
    )
    assert extras
    assert extras <= set(PROJECT["optional-dependencies"])
    assert groups
    assert groups <= set(GROUPS)


def test_actions_are_pinned_to_a_commit():
    used = [s["uses"] for n in YAML_FILES if "workflows" in n for s in steps_of(n) if "uses" in s]
    assert used
    assert [one for one in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", one)] == []


def test_ci_runs_the_whole_check_on_each_python_that_is_claimed():
    jobs = read(".github/workflows/ci.yml")["jobs"]
    assert jobs["linux"]["strategy"]["matrix"]["python"] == known_pythons()
    assert "bash .ci/run" in [step.get("run") for step in jobs["linux"]["steps"]]
    assert set(jobs["others"]["strategy"]["matrix"]["python"]) <= set(known_pythons())


def test_a_release_is_tested_and_needs_no_password():
    jobs = read(".github/workflows/release.yml")["jobs"]
    assert set(jobs["publish"]["needs"]) == {"test", "build"}
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert "secrets." not in text_of(".github/workflows/release.yml")
    assert (REPOSITORY / jobs["test"]["uses"]).is_file()


# The conda recipe --------------------------------------------------------------------------


def recipe():
    template = jinja2.Environment(autoescape=False).from_string(text_of("recipe/meta.yaml"))  # noqa: S701
    return yaml.safe_load(template.render(PYTHON="python"))


def needs_of(extra):
    """Return what an extra installs, with the extras that it names."""
    for need in PROJECT["optional-dependencies"][extra]:
        inner = re.fullmatch(r"steadycut\[(.+)\]", need)
        for name in inner[1].split(",") if inner else []:
            yield from needs_of(name)
        if inner is None:
            yield need


def in_conda(needs):
    names = (need.partition(">=") for need in needs)
    return {f"{IN_CONDA.get(name, name)} >={bound}" for name, _, bound in names}


def test_the_conda_recipe_says_what_pyproject_says():
    """What the command line needs in pyproject.toml is needed in recipe/meta.yaml too."""
    found = recipe()
    assert found["package"]["version"] == VERSION
    assert found["about"]["license"] == PROJECT["license"]
    assert found["about"]["summary"] == PROJECT["description"]
    name, called = found["build"]["entry_points"][0].split(" = ")
    assert PROJECT["scripts"] == {name: called}
    python = PROJECT["requires-python"]
    assert found["test"]["requires"] == [f"python {python.removeprefix('>=')}"]
    assert set(found["requirements"]["run"]) == {
        f"python {python}",
        *in_conda([*PROJECT["dependencies"], *needs_of("cli")]),
    }
    assert set(found["requirements"]["host"]) == {
        *found["test"]["requires"],
        "pip",
        *in_conda(PYPROJECT["build-system"]["requires"]),
    }


# The image ---------------------------------------------------------------------------------


def instructions():
    text = re.sub(r"^#.*\n", "", text_of("Containerfile"), flags=re.MULTILINE)
    text = re.sub(r"\\\n\s*", "", text)
    return [tuple(line.split(maxsplit=1)) for line in text.splitlines() if line.strip()]


def copied():
    """Return the files of the repository that the image is built from."""
    sources = [args.split()[:-1] for name, args in instructions() if name == "COPY"]
    return [file for files in sources if not files[0].startswith("--from") for file in files]


def test_the_image_is_built_from_existing_files_that_are_enough(tmp_path):
    assert [name for name in copied() if not (REPOSITORY / name).exists()] == []
    source = tmp_path / "source"
    source.mkdir()
    for name in copied():
        place = REPOSITORY / name
        if place.is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(place, source / name, ignore=ignored)
        else:
            shutil.copy(place, source / name)
    wheel = build_wheel(source, tmp_path / "wheel")
    assert metadata_of(wheel)["Version"] == VERSION


def test_the_image_runs_the_command_and_not_as_root():
    said = instructions()
    bases = {args.split()[0] for name, args in said if name == "FROM"}
    (base,) = bases
    assert re.fullmatch(r"python:(.+)-slim-bookworm", base)[1] in known_pythons()
    users = [args for name, args in said if name == "USER"]
    assert users
    assert not users[-1].startswith(("0", "root"))
    (entry,) = (json.loads(args) for name, args in said if name == "ENTRYPOINT")
    assert set(entry) == set(PROJECT["scripts"])
    (installed,) = re.findall(r"\.\[(\w+)\]", text_of("Containerfile"))
    assert installed in PROJECT["optional-dependencies"]
