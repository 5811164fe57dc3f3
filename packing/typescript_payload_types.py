"""TypeScript types of the data that pages send to their scripts, generated from their Python declarations.

Run as ``python -m packing.typescript_payload_types``, as ``make scripts`` does. Each module of ``viz/`` that declares
`TypedDict`s gets a file next to it: ``passes.py`` gives ``passes.data.d.ts``. Git ignores these files, and installations do
not include them.
"""

import inspect
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Any, Literal, NotRequired, Required, Union, get_args, get_origin, get_type_hints, is_typeddict

ROOT = Path(__file__).parents[1]
PAYLOAD_TYPES_FOLDER = "viz"
TYPES_FILE_ENDING = ".data.d.ts"

_TYPESCRIPT_BY_PYTHON_TYPE = {str: "string", int: "number", float: "number", bool: "boolean", NoneType: "null", Any: "any"}


def declared_typed_dicts(module: ModuleType) -> list[type]:
    """Return the `TypedDict`s that a module declares, in order."""
    return [value for value in vars(module).values() if is_typeddict(value) and value.__module__ == module.__name__]


def typescript_type(python_type: Any) -> str:
    """Return the TypeScript type that corresponds to a Python type.

    Raises
    ------
    TypeError
        If the type has no equivalent in JSON.
    """
    if python_type in _TYPESCRIPT_BY_PYTHON_TYPE:
        return _TYPESCRIPT_BY_PYTHON_TYPE[python_type]
    if is_typeddict(python_type):
        return str(python_type.__name__)
    generic_type, type_arguments = get_origin(python_type), get_args(python_type)
    if generic_type in (Required, NotRequired):
        return typescript_type(type_arguments[0])
    if generic_type is Literal:
        return " | ".join(f'"{value}"' if isinstance(value, str) else str(value) for value in type_arguments)
    if generic_type in (Union, UnionType):
        return " | ".join(typescript_type(part) for part in type_arguments)
    if generic_type in (list, Sequence) or (generic_type is tuple and type_arguments[1:] == (...,)):
        typescript_item_type = typescript_type(type_arguments[0])
        return f"({typescript_item_type})[]" if "|" in typescript_item_type else f"{typescript_item_type}[]"
    if generic_type is tuple:
        return f"[{', '.join(map(typescript_type, type_arguments))}]"
    if generic_type in (dict, Mapping):
        typescript_record_code = f"Record<{typescript_type(type_arguments[0])}, {typescript_type(type_arguments[1])}>"
        return typescript_record_code if type_arguments[0] is str else f"Partial<{typescript_record_code}>"
    raise TypeError(f"{python_type}: data for a script must be of types that JSON has")


def mentioned_typed_dicts(python_type: Any) -> Iterator[type]:
    """Yield the `TypedDict`s that occur in a type."""
    if is_typeddict(python_type):
        yield python_type
    for type_argument in get_args(python_type):
        yield from mentioned_typed_dicts(type_argument)


def docstring_parts(typed_dict: type) -> tuple[str, dict[str, str]]:
    """Return the summary of a declaration's docstring, and the description of each attribute."""
    docstring_text = "" if typed_dict.__doc__ == dict.__doc__ else inspect.getdoc(typed_dict) or ""
    summary, _, attributes_section = docstring_text.partition("\n\nAttributes\n----------\n")
    description_by_field: dict[str, str] = {}
    for joined_field_names, field_description in re.findall(r"^(\S.*)\n((?:    .*\n?)+)", attributes_section, re.MULTILINE):
        description_by_field |= dict.fromkeys(joined_field_names.split(", "), " ".join(field_description.split()))
    return " ".join(summary.split()), description_by_field


def typescript_interface(typed_dict: type) -> str:
    """Return the TypeScript interface of a `TypedDict`."""
    summary, description_by_field = docstring_parts(typed_dict)
    interface_lines = [*([f"/** {summary} */"] if summary else []), f"export interface {typed_dict.__name__} {{"]
    optional_keys: frozenset[str] = typed_dict.__optional_keys__  # type: ignore[attr-defined]  # each TypedDict has it
    for field_name, python_field_type in get_type_hints(typed_dict, include_extras=True).items():
        interface_lines += [f"  /** {description_by_field[field_name]} */"] if field_name in description_by_field else []
        interface_lines.append(f"  {field_name}{'?' * (field_name in optional_keys)}: {typescript_type(python_field_type)};")
    return "\n".join([*interface_lines, "}"])


def types_file_text(module: ModuleType) -> str:
    """Return the TypeScript declarations of a module, with the imports they need."""
    typed_dicts_of_module = declared_typed_dicts(module)
    python_field_types = [
        kind for declared in typed_dicts_of_module for kind in get_type_hints(declared, include_extras=True).values()
    ]
    imported_types = {
        other for kind in python_field_types for other in mentioned_typed_dicts(kind) if other not in typed_dicts_of_module
    }
    types_file_folder = types_file_path(module.__name__).parent
    import_lines = [
        f"import type {{ {other.__name__} }} from "
        f'"{_relative_import_path(types_file_folder, types_file_path(other.__module__))}";'
        for other in sorted(imported_types, key=lambda other: other.__name__)
    ]
    head_comment = f"// Made from {module.__name__} by packing/typescript_payload_types.py."
    return (
        "\n\n".join(
            [
                head_comment,
                *(["\n".join(import_lines)] if import_lines else []),
                *map(typescript_interface, typed_dicts_of_module),
            ]
        )
        + "\n"
    )


def types_file_path(module_name: str) -> Path:
    """Return the path of a module's types file, relative to the project's folder."""
    return Path(*module_name.split(".")).with_suffix(TYPES_FILE_ENDING)


def _relative_import_path(importing_folder: Path, imported_path: Path) -> str:
    relative_path = Path(os.path.relpath(imported_path, importing_folder)).as_posix()
    return relative_path if relative_path.startswith("../") else f"./{relative_path}"


def modules_with_typed_dicts() -> Iterator[ModuleType]:
    """Yield the modules of ``viz/`` that declare `TypedDict`s."""
    for path in sorted((ROOT / PAYLOAD_TYPES_FOLDER).rglob("*.py")):
        if re.search(r"\bTypedDict\b", path.read_text(encoding="utf-8")):
            yield import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


def main() -> None:
    """Write the types files, and remove those of modules that no longer declare any."""
    text_by_path = {
        ROOT / types_file_path(module.__name__): types_file_text(module)
        for module in modules_with_typed_dicts()
        if declared_typed_dicts(module)
    }
    for path in (ROOT / PAYLOAD_TYPES_FOLDER).rglob(f"*{TYPES_FILE_ENDING}"):
        if path not in text_by_path:
            path.unlink()
    for path, text in text_by_path.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
