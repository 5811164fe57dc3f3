import re

import pytest

from viz.components.script_bundler import (
    IN_ORDER_SCRIPT_PATH,
    VIZ_FOLDER,
    LinkError,
    join_script_with_imports,
    joined_style_sheets,
)

ENTRIES = {
    "answers/answer_cards.js": None,
    "breakpoints/gap_table.js": None,
    "clustering/chunk_list.js": None,
    "compare/questions/question_requests.js": None,
    "compare/scroll_to_view.js": None,
    "components/findings/findings.js": None,
    "components/heatmap/heatmap.js": None,
    "components/notice.js": None,
    "components/reader/reader.js": None,
    "components/score_table/score_table.js": None,
    "components/shared/store.js": "storeText",
    "components/stepper/stepper.js": None,
    "components/text_bar/text_area_footer.js": None,
    "components/text_bar/text_bar.js": None,
    "double_pass/corrections.js": None,
    "double_pass/passes.js": None,
    "double_pass/similarity_histogram.js": None,
    "failures/gallery.js": None,
    "guide/pictures.js": None,
    "retrieval/failed/missed_excerpts.js": None,
    "retrieval/failed/open_on_compare.js": None,
    "retrieval/key_figures.js": None,
    "retrieval/question_result.js": None,
    "shell/card/verdict_requests.js": None,
    "shell/keyboard_shortcuts.js": None,
    "shell/lecture_bar.js": None,
}
SCRIPTS = sorted(path.relative_to(VIZ_FOLDER).as_posix() for path in VIZ_FOLDER.rglob("*.js"))
FILE = re.compile(r"^// ---- viz/(.*)$", re.MULTILINE)


@pytest.fixture
def write(tmp_path):
    """Write scripts, of which `join_script_with_imports` links one."""

    def write(**files):
        for name, text in files.items():
            path = tmp_path / f"{name.replace('__', '/')}.js"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


ENTRY = "export default function () {}\n"
LINKED_ENTRY = "function drawComponent() {}\n"
FIRST = f"// ---- viz/{IN_ORDER_SCRIPT_PATH}\n"
LAST = "\nexport default inOrder(drawComponent);\n"


def imported(entry):
    """The files that a script needs, itself among them."""
    paths = set()
    ahead = [entry]
    while ahead:
        path = ahead.pop()
        if path not in paths:
            paths.add(path)
            sources = re.findall(r'^import [^;]*from "(.*)";', (VIZ_FOLDER / path).read_text(), re.MULTILINE)
            ahead += [
                (VIZ_FOLDER / path).parent.joinpath(source).resolve().relative_to(VIZ_FOLDER).as_posix()
                for source in sources
            ]
    return paths


def test_every_script_belongs_to_a_component():
    assert {IN_ORDER_SCRIPT_PATH}.union(*(imported(entry) for entry in ENTRIES)) == set(SCRIPTS)
    assert [path for path in SCRIPTS if "export default" in (VIZ_FOLDER / path).read_text()] == [
        entry for entry, default in ENTRIES.items() if default is None
    ]


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_component_links_to_one_module(entry):
    linked = join_script_with_imports(entry, ENTRIES[entry])
    files = FILE.findall(linked)
    assert sorted(files) == sorted(imported(entry) | {IN_ORDER_SCRIPT_PATH})
    assert files[-1] == entry
    for place, path in enumerate(files):
        assert imported(path) <= set(files[: place + 1]), f"{path} comes before something that it needs"
    assert not re.search(r"^import\b", linked, re.MULTILINE)
    assert len(re.findall(r"^export\b", linked, re.MULTILINE)) == 1
    assert "\n" in linked, "Streamlit takes a line for the path of a file"


@pytest.mark.parametrize("entry", ENTRIES)
def test_lines_keep_their_numbers(entry):
    linked = join_script_with_imports(entry, ENTRIES[entry])
    for path, body in zip(FILE.findall(linked), FILE.split(linked)[2::2], strict=True):
        lines = (VIZ_FOLDER / path).read_text().splitlines()
        kept = body.splitlines()[1 : len(lines) + 1]
        for line, original in zip(kept, lines, strict=True):
            drawing = original.replace("export default function (", "function drawComponent(")
            assert line in (drawing, original.removeprefix("export "), ""), path
            assert line or not original or original.startswith(("import ", "  ", "}")), path


def test_python_names_scripts_and_styles_and_holds_none():
    named = set()
    for path in VIZ_FOLDER.rglob("*.py"):
        text = path.read_text()
        scripts = re.findall(r'= Component\[\w+\]\(\s*(?:"\w+"|name),\s*"([^"]*)"', text)
        assert ("v2.component(" in text) == (path == VIZ_FOLDER / "components/browser_exchange.py"), path
        assert len(re.findall(r"= Component\[", text)) == len(scripts), path
        named |= set(scripts)
    assert named == set(ENTRIES)


@pytest.mark.parametrize("name", ["storeText", "storeSteps", "storeMatrix"])
def test_the_store_has_a_function_for_each_of_its_components(name):
    assert join_script_with_imports("components/shared/store.js", name).endswith(f"\nexport default inOrder({name});\n")


def test_styles_are_joined_by_lines():
    both = joined_style_sheets("components/shared/common.css", "components/shared/zoom_window.css")
    assert both.startswith((VIZ_FOLDER / "components/shared/common.css").read_text())
    assert both.endswith((VIZ_FOLDER / "components/shared/zoom_window.css").read_text())


def test_a_module_comes_once_and_before_all_that_use_it(write):
    root = write(
        entry='import { b } from "./b.js";\nimport {\n  a,\n  other,\n} from "./below/a.js";\n' + ENTRY,
        b='import { a } from "./below/a.js";\nexport const b = a;\n',
        below__a="// A.\nexport const a = 1;\nexport async function other() {}\nexport class Third {}\n",
    )
    linked = join_script_with_imports("entry.js", root_folder=root)
    assert linked.startswith(FIRST)
    assert linked.endswith(
        "\n// ---- viz/below/a.js\n// A.\nconst a = 1;\nasync function other() {}\nclass Third {}\n"
        "\n// ---- viz/b.js\n\nconst b = a;\n"
        f"\n// ---- viz/entry.js\n\n\n\n\n\n{LINKED_ENTRY}{LAST}"
    )


def test_what_a_function_declares_is_its_own(write):
    root = write(
        entry='import { a } from "./a.js";\nexport default function () {\n  const one = a;\n}\n',
        a="export function a() {\n  const one = 1;\n  return one;\n}\n",
    )
    assert join_script_with_imports("entry.js", root_folder=root)


REFUSED = {
    "a circle": (
        {
            "entry": 'import { a } from "./a.js";\n' + ENTRY,
            "a": 'import { b } from "./b.js";\nexport const a = b;\n',
            "b": 'import { a } from "./a.js";\nexport const b = a;\n',
        },
        "Scripts must not import each other in a circle; these do: a.js -> b.js -> a.js",
    ),
    "itself": ({"entry": 'import { a } from "./entry.js";\n' + ENTRY}, "in a circle; these do: entry.js -> entry.js"),
    "a missing file": (
        {"entry": 'import { a } from "./a.js";\n' + ENTRY},
        "The script a.js, which entry.js imports, must exist; it does not.",
    ),
    "a missing export": (
        {"entry": 'import { a } from "./a.js";\n' + ENTRY, "a": "const a = 1;\nexport const b = a;\n"},
        "entry.js may import only exported names; a.js does not export a.",
    ),
    "an import at second hand": (
        {
            "entry": 'import { b } from "./a.js";\n' + ENTRY,
            "a": 'import { b } from "./b.js";\nexport const a = b;\n',
            "b": "export const b = 1;\n",
        },
        "entry.js may import only exported names; a.js does not export b.",
    ),
    "a name declared twice": (
        {"entry": 'import { a } from "./a.js";\nconst own = a;\n' + ENTRY, "a": "const own = 1;\nexport const a = own;\n"},
        "own must be declared only once in the scripts that entry.js links; a.js and entry.js both declare it.",
    ),
    "a name declared twice, once in a list": (
        {
            "entry": 'import { a } from "./a.js";\nconst [own, other] = a;\n' + ENTRY,
            "a": "export const a = [1, 2];\nfunction other() {}\n",
        },
        "a.js and entry.js both declare it",
    ),
    "a name declared twice, once by its properties": (
        {
            "entry": 'import { a } from "./a.js";\nconst { x: own } = a;\n' + ENTRY,
            "a": "export const a = {};\nclass own {}\n",
        },
        "own must be declared only once",
    ),
    "a renamed import": (
        {"entry": 'import { a as b } from "./a.js";\n' + ENTRY, "a": "export const a = 1;\n"},
        "entry.js must import names without renaming them, as all modules share one scope; got 'a as b'",
    ),
    "a default import": (
        {"entry": 'import a from "./a.js";\n' + ENTRY, "a": "export const a = 1;\n"},
        "entry.js must import and export only by",
    ),
    "a module as an object": (
        {"entry": 'import * as a from "./a.js";\n' + ENTRY, "a": "export const a = 1;\n"},
        "entry.js must import and export only by",
    ),
    "an import for its effects": (
        {"entry": 'import "./a.js";\n' + ENTRY, "a": "export const a = 1;\n"},
        "entry.js must import and export only by",
    ),
    "a list of exports": (
        {"entry": 'import { a } from "./a.js";\n' + ENTRY, "a": "const a = 1;\nexport { a };\n"},
        "a.js must import and export only by",
    ),
    "a package": (
        {"entry": 'import { a } from "a";\n' + ENTRY},
        "entry.js must import files of viz by a relative path; it imports a.",
    ),
    "a file elsewhere": (
        {"entry": 'import { a } from "../a.js";\n' + ENTRY},
        "entry.js must import files of viz by a relative path; it imports ../a.js",
    ),
    "a default that is no entry's": (
        {"entry": 'import { a } from "./a.js";\n' + ENTRY, "a": "export const a = 1;\n" + ENTRY},
        "Only the script of a component, entry.js, may have an export default; a.js has one too.",
    ),
    "no default": (
        {"entry": "export const a = 1;\n"},
        "entry.js must have an export default function, which draws the component; it has none.",
    ),
    "a default that is no function": ({"entry": "export default 1;\n"}, "entry.js must import and export only by"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_linked_is_refused_by_name(write, case):
    files, message = REFUSED[case]
    with pytest.raises(LinkError, match=re.escape(message)):
        join_script_with_imports("entry.js", root_folder=write(**files))


def test_a_missing_entry_is_refused(tmp_path):
    with pytest.raises(LinkError, match=re.escape("The script entry.js must exist")):
        join_script_with_imports("entry.js", root_folder=tmp_path)


def test_a_named_default_must_be_exported_and_alone(write):
    with pytest.raises(LinkError, match="must have a named export a and no default export"):
        join_script_with_imports("entry.js", "a", root_folder=write(entry="const a = 1;\n"))
    with pytest.raises(LinkError, match="must have a named export a and no default export"):
        join_script_with_imports("entry.js", "a", root_folder=write(entry="export const a = 1;\n" + ENTRY))
