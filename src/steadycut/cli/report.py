"""``steadycut report``: the page of a result again, from its JSON."""

import warnings
from pathlib import Path

from steadycut._kinds import KINDS, file_name_of
from steadycut.cli.options import argument, option
from steadycut.cli.output import check_file, check_folder, refuse
from steadycut.core.checks import check_choice
from steadycut.documents.kinds import class_of
from steadycut.documents.reading import read_json, schema_of
from steadycut.documents.same_study import is_foreign
from steadycut.errors import BadTable, SteadycutError
from steadycut.io.files import write_atomically
from steadycut.show.render.rerender import ENDINGS, page_name, render_again

FORMS = "html: as the command wrote it; md: Markdown; pdf-ready: HTML to print."
# Studies of every kind, then what was made of their rules.
STUDIES = (file_name_of(schema_of(class_of(kind.study))) for kind in KINDS)
NAMES = (*STUDIES, "audit.json", "monitor.json")


def report_command(
    result: Path = argument(
        "RESULT", "study.json, audit.json or another result, or the folder that holds it."
    ),
    form: str = option("|".join(ENDINGS), FORMS, "--format", default="html"),
    compare: Path | None = option("FILE", "compare.json, for a further table of a study."),
    out: Path | None = option("FILE", "File to write. [default: next to the JSON]"),
) -> None:
    """Write the page of a result again.

    The page is made from its JSON file alone.
    """
    check_choice("form", form, tuple(ENDINGS))
    path = find_result(result)
    content = read_result(path)
    comparison = None if compare is None else read_result(compare)
    target = out or path.parent / page_name(content, form)
    check_folder(target.parent)
    check_file(target)
    ending = f".{ENDINGS[form].rpartition('.')[2]}"
    if target.suffix.lower() != ending or is_foreign(target):
        refuse(f"--out must be a new file or an old report, and end in {ending}; got {target}.")
    try:
        with warnings.catch_warnings():
            # An edited file may contain numbers that no figure can show.
            warnings.simplefilter("ignore", RuntimeWarning)
            text = render_again(content, form, comparison, str(path))
    except SteadycutError:
        raise
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
        raise BadTable(
            f"{path} is not complete ({type(error).__name__}: {error}): it was edited, or another "
            "version of steadycut wrote it. Run the command again that made it."
        ) from None
    target.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(target, text.encode())
    print(f"Wrote {target}")


def find_result(path: Path) -> Path:
    """Return the JSON file that a path names, or that the folder holds."""
    if not path.is_dir():
        return path
    present = [path / name for name in NAMES if (path / name).is_file()]
    if len(present) != 1:
        what = " and ".join(file.name for file in present) if present else "none of them"
        refuse(f"a folder must hold one of {', '.join(NAMES)}; {path} holds {what}. Name the file.")
    return present[0]


def read_result(path: Path) -> dict[str, object]:
    """Return the object in a JSON file."""
    content = read_json(path, "the result")
    if not content:
        refuse(f"{path} is not JSON that steadycut wrote. Give the study.json or audit.json.")
    return content
