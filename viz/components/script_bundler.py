"""A linker that joins a component's scripts, and its style sheets, into the single strings that Streamlit accepts.

Scripts are ES modules with relative imports. Streamlit loads a component's script as a single module that cannot import
anything, so the modules are concatenated into one scope, without their import and export lines. Constructs whose meaning
would change in a shared scope are rejected. Streamlit calls the component's function through ``inOrder``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath

VIZ_FOLDER = Path(__file__).parents[1]

IN_ORDER_SCRIPT_PATH = "components/shared/in_order.js"
"""Script that discards data older than the data already drawn; every component is linked with it."""

_LINKED_DEFAULT_FUNCTION_NAME = "drawComponent"  # the name of an entry's default function in the linked script

# The formatter starts top-level statements in the first column; everything inside a function is indented.
_IMPORT_PATTERN = re.compile(r'^import\s*\{([^}]*)\}\s*from\s*"([^"\n]*)";[ \t]*$', re.MULTILINE)
_EXPORT_PATTERN = re.compile(r"^export (?=(?:const|let|class|function\*?|async function) ?\*?\w)", re.MULTILINE)
_DEFAULT_EXPORT_PATTERN = re.compile(r"^export default function \(", re.MULTILINE)
_REFUSED_STATEMENT_PATTERN = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
_DECLARATION_PATTERN = re.compile(
    r"^(?P<export>export )?(?:export default )?"
    r"(?:(?:const|let|var|class) |(?:async )?function ?\*? ?)(?P<names>[\w$]+|\[[^=]*\]|\{[^=]*\})",
    re.MULTILINE,
)
_BOUND_NAME_PATTERN = re.compile(r"(?:[\w$]+\s*:\s*)?([A-Za-z_$][\w$]*)")
_ALLOWED_FORMS_PHRASE = 'by `import { a, b } from "./c.js";` and by `export` before a declaration'


class LinkError(ValueError):
    """Error in linking a component's scripts; the message names the file and the problem."""


@dataclass(frozen=True)
class _Module:
    """A parsed script.

    Attributes
    ----------
    path
        Relative to the root, with forward slashes.
    imports
        The imported names, keyed by the path of the module that exports them.
    declared
        The names declared at the top level; ``exported`` are those that other modules may import.
    body
        The source without import and export; imports leave blank lines, so that line numbers stay the same.
    has_default
        True if the script has an ``export default function``, which the body declares by a name.
    """

    path: str
    imports: dict[str, list[str]]
    declared: tuple[str, ...]
    exported: frozenset[str]
    body: str
    has_default: bool


def join_script_with_imports(
    entry_script_path: str, draw_function_name: str | None = None, *, root_folder: Path = VIZ_FOLDER
) -> str:
    """Return a script and all its imports as one module, with each file before the files that use it.

    Parameters
    ----------
    entry_script_path
        The path of the script below ``root_folder``; its ``export default function`` is what draws the component.
    draw_function_name
        The exported function that draws the component if the entry has no default export.

    Raises
    ------
    LinkError
        If a file or an imported name does not exist, files import each other in a circle, two files declare the same name,
        or a file imports or exports in any other form than ``import { a, b } from "./c.js";`` and ``export`` before a
        declaration.
    """
    ordered_script_modules = _modules_in_import_order(entry_script_path, root_folder)
    entry_module = ordered_script_modules[-1]
    for module in ordered_script_modules[:-1]:
        if module.has_default:
            raise LinkError(
                f"Only the script of a component, {entry_script_path}, may have an export default; {module.path} has one "
                "too."
            )
    if draw_function_name is None and not entry_module.has_default:
        raise LinkError(f"{entry_script_path} must have an export default function, which draws the component; it has none.")
    if draw_function_name is not None and (entry_module.has_default or draw_function_name not in entry_module.exported):
        raise LinkError(
            f"{entry_script_path} must have a named export {draw_function_name} and no default export. Correct its exports."
        )
    ordered_script_modules.insert(0, _parse_script(IN_ORDER_SCRIPT_PATH, VIZ_FOLDER))
    path_by_declared_identifier: dict[str, str] = {}
    for module in ordered_script_modules:
        for declared_name in module.declared:
            if declared_name in path_by_declared_identifier:
                raise LinkError(
                    f"{declared_name} must be declared only once in the scripts that {entry_script_path} links; "
                    f"{path_by_declared_identifier[declared_name]} and {module.path} both declare it."
                )
            path_by_declared_identifier[declared_name] = module.path
    module_sources = [f"// ---- viz/{module.path}\n{module.body}" for module in ordered_script_modules]
    return "\n".join([*module_sources, f"export default inOrder({draw_function_name or _LINKED_DEFAULT_FUNCTION_NAME});\n"])


def joined_style_sheets(*files: str) -> str:
    """Return the contents of the given style sheets (paths below ``viz/``) as one string."""
    return "\n".join((VIZ_FOLDER / file).read_text(encoding="utf-8") for file in files)


def _modules_in_import_order(entry_script_path: str, root_folder: Path) -> list[_Module]:
    """Return the modules that ``entry_script_path`` imports, each after its own imports, and last the entry itself."""
    module_by_path: dict[str, _Module] = {}
    paths_being_read: list[str] = []

    def parse_script_after_its_imports(path: str) -> _Module:
        if path in paths_being_read:
            raise LinkError(
                "Scripts must not import each other in a circle; these do: "
                f"{' -> '.join([*paths_being_read[paths_being_read.index(path) :], path])}"
            )
        if path not in module_by_path:
            paths_being_read.append(path)
            try:
                parsed_script_module = _parse_script(path, root_folder)
            except OSError:
                importer_phrase = f", which {paths_being_read[-2]} imports," if len(paths_being_read) > 1 else ""
                raise LinkError(f"The script {path}{importer_phrase} must exist; it does not.") from None
            for imported_path, imported_names in parsed_script_module.imports.items():
                imported_module_exports = parse_script_after_its_imports(imported_path).exported
                for name in imported_names:
                    if name not in imported_module_exports:
                        raise LinkError(f"{path} may import only exported names; {imported_path} does not export {name}.")
            paths_being_read.pop()
            module_by_path[path] = parsed_script_module
        return module_by_path[path]

    parse_script_after_its_imports(entry_script_path)
    return list(module_by_path.values())


@cache
def _parse_script(path: str, root_folder: Path) -> _Module:
    """Return the parsed script; cached, as components share half of their scripts."""
    text = (root_folder / path).read_text(encoding="utf-8")
    imported_names_by_path: dict[str, list[str]] = {}
    for imported_names_text, import_source in _IMPORT_PATTERN.findall(text):
        imported_names_by_path.setdefault(_resolve_import_path(path, import_source), []).extend(
            _imported_names(path, imported_names_text)
        )
    script_body_without_imports = _IMPORT_PATTERN.sub(lambda match: "\n" * match.group().count("\n"), text)
    script_body_without_imports = _DEFAULT_EXPORT_PATTERN.sub(
        f"function {_LINKED_DEFAULT_FUNCTION_NAME}(", _EXPORT_PATTERN.sub("", script_body_without_imports)
    )
    for refused_line in _REFUSED_STATEMENT_PATTERN.findall(script_body_without_imports):
        raise LinkError(f"{path} must import and export only {_ALLOWED_FORMS_PHRASE}; got {refused_line}")
    names_with_export_flags = [
        (name, bool(match["export"]))
        for match in _DECLARATION_PATTERN.finditer(text)
        for name in _list_names_bound_by_declaration(match["names"])
    ]
    return _Module(
        path,
        imported_names_by_path,
        tuple(name for name, _ in names_with_export_flags),
        frozenset(name for name, exported in names_with_export_flags if exported),
        script_body_without_imports,
        bool(_DEFAULT_EXPORT_PATTERN.search(text)),
    )


def _resolve_import_path(importing_script_path: str, imported_path: str) -> str:
    """Return the path below the root of the file that the module ``importing_script_path`` imports as ``imported_path``."""
    path_below_root = normpath(join(dirname(importing_script_path), imported_path))
    if not imported_path.startswith(("./", "../")) or path_below_root.startswith("../"):
        raise LinkError(f"{importing_script_path} must import files of viz by a relative path; it imports {imported_path}.")
    return path_below_root


def _imported_names(path: str, names_text: str) -> Iterator[str]:
    for name in filter(None, (name.strip() for name in names_text.split(","))):
        if not re.fullmatch(r"[\w$]+", name):
            raise LinkError(f"{path} must import names without renaming them, as all modules share one scope; got {name!r}.")
        yield name


def _list_names_bound_by_declaration(declaration_left_side: str) -> list[str]:
    """Return the names that the left side of a declaration binds: ``a``, ``[a, b]`` or ``{ a, b: c }``."""
    return _BOUND_NAME_PATTERN.findall(declaration_left_side)
