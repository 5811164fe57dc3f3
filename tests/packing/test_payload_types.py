"""Types of payloads for the scripts are made from their declarations in Python."""

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Literal, NotRequired, TypedDict

import pytest

from packing import typescript_payload_types
from tests import ROOT


class Leaf(TypedDict):
    """A leaf.

    Attributes
    ----------
    name, colour
        What it is called, and its colour.
    size
        In square centimetres.
    """

    name: str
    colour: Literal["green", "red"]
    size: NotRequired[float | None]


Branch = TypedDict("Branch", {"from": tuple[int, float], "leaves": list[Leaf]})

LEAF = """\
/** A leaf. */
export interface Leaf {
  /** What it is called, and its colour. */
  name: string;
  /** What it is called, and its colour. */
  colour: "green" | "red";
  /** In square centimetres. */
  size?: number | null;
}"""


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        (list[int], "number[]"),
        (Sequence[str | None], "(string | null)[]"),
        (tuple[float, str], "[number, string]"),
        (tuple[bool, ...], "boolean[]"),
        (Mapping[str, list[Leaf]], "Record<string, Leaf[]>"),
        (dict[Literal["a", "b"], int], 'Partial<Record<"a" | "b", number>>'),
        (Literal[1, 2], "1 | 2"),
    ],
)
def test_a_type_of_python_has_one_of_typescript(kind, written):
    assert typescript_payload_types.typescript_type(kind) == written


def test_a_type_that_json_lacks_is_refused():
    with pytest.raises(TypeError, match="must be of types that JSON has"):
        typescript_payload_types.typescript_type(set[int])


def test_a_declaration_keeps_its_names_its_order_and_its_words():
    assert typescript_payload_types.typescript_interface(Leaf) == LEAF
    assert typescript_payload_types.typescript_interface(Branch).splitlines()[-3:-1] == [
        "  from: [number, number];",
        "  leaves: Leaf[];",
    ]


def test_a_file_imports_what_another_module_declares(monkeypatch):
    module = ModuleType("viz.some.room")
    monkeypatch.setattr(typescript_payload_types, "declared_typed_dicts", lambda module: [Branch])
    assert (
        'import type { Leaf } from "../../tests/packing/test_payload_types.data.d.ts";'
        in typescript_payload_types.types_file_text(module)
    )


def test_the_files_are_written_again_and_those_of_no_module_removed(tmp_path, monkeypatch):
    (tmp_path / "viz" / "room").mkdir(parents=True)
    (tmp_path / "viz" / "gone.data.d.ts").write_text("")
    module = ModuleType("viz.room.leaves")
    monkeypatch.setattr(typescript_payload_types, "ROOT", tmp_path)
    monkeypatch.setattr(typescript_payload_types, "modules_with_typed_dicts", lambda: [module])
    monkeypatch.setattr(typescript_payload_types, "declared_typed_dicts", lambda module: [Leaf])
    typescript_payload_types.main()
    assert [path.name for path in (tmp_path / "viz").rglob("*.data.d.ts")] == ["leaves.data.d.ts"]
    assert LEAF in (tmp_path / "viz" / "room" / "leaves.data.d.ts").read_text()


def test_no_script_declares_again_what_python_declares():
    declared = {
        each.__name__
        for module in typescript_payload_types.modules_with_typed_dicts()
        for each in typescript_payload_types.declared_typed_dicts(module)
    }
    assert len(declared) > 20
    by_hand = {
        name
        for path in (ROOT / "viz").rglob("*")
        if path.name.endswith((".js", ".d.ts")) and not path.name.endswith(typescript_payload_types.TYPES_FILE_ENDING)
        for name in declared
        if f"interface {name} " in (text := path.read_text()) or f"@typedef {{object}} {name}\n" in text
    }
    # A script adds to the mark of a step what concerns the browser alone.
    assert by_hand <= {"Mark"}
