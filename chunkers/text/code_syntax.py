"""Syntax of source code: the language, the definitions, and the places at which code that is too long may be cut.

tree-sitter parses the code with the grammars that are installed. A node of its tree that fits into a chunk is never looked
into. A longer one may be cut between the members of its lists: statements of a block, methods of a class, branches of an
``if``, entries of a literal. Comments, decorators and docstrings lead what follows: the places behind them, behind the
head of a definition and in front of a closing bracket are weak, to be used only if the parts do not fit together.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from chunkers.support import MAX_SENTENCES, MOST_READING_SECONDS, InputError, raise_if_cancelled, raise_if_extra_missing

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query


class Grammar(NamedTuple):
    """A language's grammar.

    Attributes
    ----------
    module
        The module of its package.
    function
        The function of the module that returns it.
    endings
        The endings of its files.
    """

    module: str
    function: str
    endings: tuple[str, ...]


GRAMMARS = {
    "python": Grammar("tree_sitter_python", "language", (".py", ".pyi")),
    "javascript": Grammar("tree_sitter_javascript", "language", (".js", ".mjs", ".cjs", ".jsx")),
    "typescript": Grammar("tree_sitter_typescript", "language_typescript", (".ts", ".mts", ".cts")),
    "tsx": Grammar("tree_sitter_typescript", "language_tsx", (".tsx",)),
    "java": Grammar("tree_sitter_java", "language", (".java",)),
    "go": Grammar("tree_sitter_go", "language", (".go",)),
    "rust": Grammar("tree_sitter_rust", "language", (".rs",)),
    "c": Grammar("tree_sitter_c", "language", (".c", ".h")),
    "cpp": Grammar("tree_sitter_cpp", "language", (".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".h")),
}
"""Grammars by language; if two are equally good for a text, the first one is used."""

CODE_FILE_ENDINGS = tuple(dict.fromkeys(ending for grammar in GRAMMARS.values() for ending in grammar.endings))
"""The endings of the names of files with code."""

SAMPLED_CHARACTERS = 10_000
"""Characters at the beginning of a text that are parsed with every grammar to detect its language."""

HIGHEST_MISREAD_SHARE = 0.1
"""The share of a text in syntax errors above which it is taken for a language without a grammar here, or for none."""

_DEEPEST_NODE = 150
"""Nodes inside each other that are looked into; deeper ones are cut between lines."""

_LONGEST_NAME = 80
"""Characters of a name in reasons and contexts."""

_PARSER_PIECE_BYTES = 65_536
"""Bytes that the parser is given at once."""

_NOUN_BY_NODE_TYPE = {
    "function_definition": "function",
    "function_declaration": "function",
    "generator_function_declaration": "function",
    "function_expression": "function",
    "generator_function": "function",
    "arrow_function": "function",
    "function_item": "function",
    "method_definition": "method",
    "method_declaration": "method",
    "constructor_declaration": "constructor",
    "compact_constructor_declaration": "constructor",
    "class_definition": "class",
    "class_declaration": "class",
    "abstract_class_declaration": "class",
    "class": "class",
    "class_specifier": "class",
    "struct_specifier": "struct",
    "struct_item": "struct",
    "union_specifier": "union",
    "union_item": "union",
    "enum_specifier": "enum",
    "enum_declaration": "enum",
    "enum_item": "enum",
    "record_declaration": "record",
    "interface_declaration": "interface",
    "annotation_type_declaration": "annotation",
    "trait_item": "trait",
    "impl_item": "impl",
    "mod_item": "module",
    "internal_module": "namespace",
    "module": "namespace",
    "namespace_definition": "namespace",
    "type_spec": "type",
    "type_definition": "type",
    "type_alias_declaration": "type",
    "macro_definition": "macro",
}
_CLOSURE_NODE_TYPES = {"closure_expression", "func_literal", "lambda_expression"}
_NODE_TYPES_KEPT_WHOLE = _CLOSURE_NODE_TYPES | {
    name for name, noun in _NOUN_BY_NODE_TYPE.items() if noun in ("function", "method", "constructor", "class")
}
"""Nodes that are not cut where they fit, wherever they stand."""
_CLASS_NOUNS = {"class", "struct", "union", "enum", "record", "interface", "trait", "impl"}
_CHILD_FIELD_BY_WRAPPER_TYPE = {
    "decorated_definition": "definition",
    "export_statement": "declaration",
    "template_declaration": "",
    "ambient_declaration": "",
    "type_declaration": "",
    "lexical_declaration": "",
    "variable_declaration": "",
    "expression_statement": "",
}
"""Statements that are named by what is inside: by a field, or by their last child."""
_DECORATED_NODE_TYPES = {"decorated_definition", "template_declaration"}
_NAME_AND_VALUE_FIELDS_BY_NODE_TYPE = {
    "variable_declarator": ("name", "value"),
    "assignment_expression": ("left", "right"),
    "pair": ("key", "value"),
    "public_field_definition": ("name", "value"),
    "field_definition": ("property", "value"),
}
"""Nodes that give a function or a class its name, with the fields of both."""
_DEFINITION_KEYWORD_PATTERN = re.compile(
    r"(?:def|class|function|func|fn|impl|trait|struct|union|enum|mod|interface|namespace|type|record)\Z"
)
_LIST_NODE_TYPE_PATTERN = re.compile(
    r".*(?:block|body|list|initializer|section)\Z|(?:module|program|source_file|translation_unit|compound_statement|object"
    r"|object_type|array|arguments|dictionary|set|tuple|tuple_expression|literal_value|array_expression|preproc_\w+"
    r"|switch_case|case_statement|\w+_case|switch_block_statement_group|enum_body_declarations|jsx_element"
    r"|jsx_opening_element|jsx_self_closing_element|sequence_expression|concatenated_string|ERROR)\Z"
)
_CLAUSE_NODE_TYPES = {"elif_clause", "else_clause", "except_clause", "except_group_clause", "finally_clause", "catch_clause"}
_COMMENT_OR_DECORATOR_TYPE_PATTERN = re.compile(r".*comment\Z|attribute_item|inner_attribute_item|decorator\Z")
_STATEMENT_NODE_TYPE_PATTERN = re.compile(r"_?(?:statement|definition|declaration|item)\Z")
_WHITE_SPACE_PATTERN = re.compile(r"\s*")


class CodeItem(NamedTuple):
    """A member of the code as a reason names it.

    Attributes
    ----------
    noun
        The kind, such as ``function`` or ``import statement``.
    name
        The name; empty for what has none.
    label
        The keyword and the name as in the code, such as ``def parse``; empty for what is no definition.
    node
        The definition itself, inside decorators and the like; None for what is no definition.
    """

    noun: str
    name: str = ""
    label: str = ""
    node: Node | None = None

    def __str__(self) -> str:
        """Return the noun with its name or its article."""
        if self.name:
            return f"the {self.noun} {self.name}"
        return f"{'an' if self.noun[:1] in 'aeiou' else 'a'} {self.noun}"


class CodeBreak(NamedTuple):
    """A place at which code may be cut.

    Attributes
    ----------
    offset
        The place, in code points; never at white space.
    between
        What is in front and behind, as in ``between the functions a and b``.
    after
        What is behind, as in ``the function b``.
    path
        The labels of the definitions around the place, outermost first; only those that do not fit into a chunk.
    inside
        The labels around what follows the place; longer than ``path`` where a definition begins that does not fit.
    is_weak
        True if both sides belong together.
    long_neighbour
        The definition beside the place that does not fit into a chunk, so that it shares none with its neighbours; empty for
        none.
    """

    offset: int
    between: str
    after: str
    path: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    is_weak: bool = False
    long_neighbour: str = ""


class DetectedLanguage(NamedTuple):
    """The language of a text.

    Attributes
    ----------
    language
        The language; None if no grammar fits.
    why
        A sentence on how it was found; empty if the user chose it.
    """

    language: str | None
    why: str = ""


def find_languages_with_grammars() -> list[str]:
    """Return the languages whose grammars are installed."""
    return [name for name, grammar in GRAMMARS.items() if find_spec(grammar.module) is not None]


def detect_programming_language(
    text: str, file_name: str, caller_name: str, cancelled: Callable[[], bool] = bool
) -> DetectedLanguage:
    """Return the language of a text by its file's name, or else the one whose grammar finds the fewest syntax errors.

    Parameters
    ----------
    file_name
        The name of the text's file, or another name.
    caller_name
        Who needs the grammar, for the message if the package is missing.

    Raises
    ------
    ModelError
        If the package of the grammar that the name asks for, or all grammars, are missing.
    Cancelled
        If the user asked to stop.
    """
    file_name_ending = next(
        (ending for ending in sorted(CODE_FILE_ENDINGS, key=len, reverse=True) if file_name.lower().endswith(ending)),
        "",
    )
    languages_with_ending = [
        language for language, grammar in GRAMMARS.items() if file_name_ending and file_name_ending in grammar.endings
    ]
    for language in languages_with_ending:
        raise_if_extra_missing("code", f"{caller_name}: the language {language}", "tree_sitter", GRAMMARS[language].module)
    if len(languages_with_ending) == 1:
        return DetectedLanguage(
            languages_with_ending[0],
            f"Language: {languages_with_ending[0]}, by the ending {file_name_ending} of the file's name.",
        )
    candidate_languages = languages_with_ending or find_languages_with_grammars()
    raise_if_extra_missing("code", caller_name, *(["tree_sitter"] if candidate_languages else []))
    text_beginning = (
        text
        if len(text) <= SAMPLED_CHARACTERS
        else text[: text.rfind("\n", 0, SAMPLED_CHARACTERS) + 1] or text[:SAMPLED_CHARACTERS]
    )
    visible_character_count = sum(map(len, text_beginning.split()))
    misread_share_by_language = {}
    for language in candidate_languages:
        misread_share_by_language[language] = Syntax.of(
            text_beginning, language, caller_name, cancelled
        ).misread_byte_count / max(1, visible_character_count)
        if not misread_share_by_language[language]:
            break
    best_language = min(misread_share_by_language, key=misread_share_by_language.__getitem__, default=None)
    if best_language is None or (
        misread_share_by_language[best_language] > HIGHEST_MISREAD_SHARE and not languages_with_ending
    ):
        least_misread_share = min(1, misread_share_by_language[best_language]) if best_language else 1
        return DetectedLanguage(
            None,
            f"Language: unknown. The grammars of {', '.join(candidate_languages)} find syntax errors in at least "
            f"{least_misread_share:.0%} of the text: it is cut between paragraphs and lines.",
        )
    sampled_part_phrase = " at its beginning" if len(text_beginning) < len(text) else ""
    return DetectedLanguage(
        best_language, f"Language: {best_language}, whose grammar finds the fewest syntax errors{sampled_part_phrase}."
    )


@cache
def load_grammar(language: str) -> Language:
    """Return the grammar of a language of `GRAMMARS`."""
    from tree_sitter import Language

    grammar_import_location = GRAMMARS[language]
    return Language(getattr(import_module(grammar_import_location.module), grammar_import_location.function)())


@cache
def _definitions_query(language: str) -> Query:
    """Return the query for functions and classes; a grammar refuses names of nodes that it does not have."""
    from tree_sitter import Query

    tree_sitter_grammar = load_grammar(language)
    definition_node_kinds = [
        kind for kind in sorted(_NODE_TYPES_KEPT_WHOLE) if tree_sitter_grammar.id_for_node_kind(kind, True) is not None
    ]
    return Query(tree_sitter_grammar, f"[{' '.join(f'({kind})' for kind in definition_node_kinds)}] @whole")


class Syntax:
    """The tree of a text in one language.

    Attributes
    ----------
    text
        The text.
    root
        The root of the tree.
    language
        The language.
    """

    def __init__(self, text: str, source_bytes: bytes, root: Node, language: str) -> None:
        self.text = text
        self.root = root
        self.language = language
        self._data = source_bytes

    @classmethod
    def of(cls, text: str, language: str, caller_name: str, cancelled: Callable[[], bool] = bool) -> Syntax:
        """Parse a text.

        Raises
        ------
        ModelError
            If the package of the grammar is missing.
        InputError
            If it takes longer than `MOST_READING_SECONDS`.
        Cancelled
            If the user asked to stop.
        """
        raise_if_extra_missing("code", f"{caller_name}: the language {language}", "tree_sitter", GRAMMARS[language].module)
        from tree_sitter import Parser

        source_bytes = text.encode()
        parsing_deadline_time = time.monotonic() + MOST_READING_SECONDS
        try:
            parsed_syntax_tree = Parser(load_grammar(language)).parse(
                lambda offset, _point: source_bytes[offset : offset + _PARSER_PIECE_BYTES],
                progress_callback=lambda _offset, _has_error: cancelled() or time.monotonic() > parsing_deadline_time,
            )
        except ValueError as error:
            raise_if_cancelled(cancelled)
            raise InputError(
                f"{caller_name}: parsing code may take at most {MOST_READING_SECONDS} seconds; this text takes longer as "
                f"{language}. "
                "Divide the text, or choose another language."
            ) from error
        return cls(text, source_bytes, parsed_syntax_tree.root_node, language)

    @cached_property
    def _character_byte_offsets(self) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]] | None:
        """The byte at which each character begins; None if every character is one byte."""
        if len(self._data) == len(self.text):
            return None
        return np.flatnonzero((np.frombuffer(self._data, np.uint8) & 0xC0) != 0x80)

    def offset_of_byte(self, byte_index: int) -> int:
        """Return the offset of a byte, in code points."""
        return (
            byte_index
            if self._character_byte_offsets is None
            else int(np.searchsorted(self._character_byte_offsets, byte_index))
        )

    @cached_property
    def definition_spans(self) -> list[tuple[int, int]]:
        """The spans of all functions and classes, in order; what is inside another one follows it."""
        from tree_sitter import QueryCursor

        definition_nodes = QueryCursor(_definitions_query(self.language)).captures(self.root).get("whole", ())
        return sorted(
            ((self.offset_of_byte(node.start_byte), self.offset_of_byte(node.end_byte)) for node in definition_nodes),
            key=lambda span: (span[0], -span[1]),
        )

    def _node_text_beginning(self, node: Node) -> str:
        """Return the beginning of the text of a node in one line."""
        node_beginning_bytes = self._data[node.start_byte : min(node.end_byte, node.start_byte + 4 * _LONGEST_NAME)]
        one_line_source = " ".join(node_beginning_bytes.decode(errors="ignore").split())
        return one_line_source if len(one_line_source) <= _LONGEST_NAME else f"{one_line_source[: _LONGEST_NAME - 1]}…"

    @cached_property
    def _syntax_error_starts_and_lengths(self) -> list[tuple[int, int]]:
        """The first byte and the number of misread bytes of each syntax error, in order."""
        syntax_errors = []
        unvisited_nodes = [self.root]
        while unvisited_nodes:
            visited_syntax_node = unvisited_nodes.pop()
            if visited_syntax_node.is_missing:
                syntax_errors.append((visited_syntax_node.start_byte, 1))
            elif visited_syntax_node.type == "ERROR":
                readable_children = [
                    child for child in visited_syntax_node.named_children if _STATEMENT_NODE_TYPE_PATTERN.search(child.type)
                ]
                readable_byte_count = sum(child.end_byte - child.start_byte for child in readable_children)
                syntax_errors.append(
                    (
                        visited_syntax_node.start_byte,
                        max(1, visited_syntax_node.end_byte - visited_syntax_node.start_byte - readable_byte_count),
                    )
                )
                unvisited_nodes += reversed(readable_children)
            elif visited_syntax_node.has_error:
                unvisited_nodes += reversed(visited_syntax_node.children)
        return syntax_errors

    @property
    def misread_byte_count(self) -> int:
        """The bytes in syntax errors."""
        return sum(count for _, count in self._syntax_error_starts_and_lengths)

    def syntax_error_note(self) -> str:
        """Return a sentence on syntax errors; empty if there are none."""
        if not self._syntax_error_starts_and_lengths:
            return ""
        error_count = len(self._syntax_error_starts_and_lengths)
        first_error_line = self._data[: self._syntax_error_starts_and_lengths[0][0]].count(b"\n") + 1
        errors_phrase = f"{error_count:,} syntax errors, the first" if error_count > 1 else "a syntax error"
        misread_share = self.misread_byte_count / len(self._data)
        other_language_sentence = (
            f" The errors are {misread_share:.0%} of the text, which may be in another language."
            if misread_share > HIGHEST_MISREAD_SHARE
            else ""
        )
        found_errors_clause = f"The grammar of {self.language} finds {errors_phrase} in line {first_error_line:,}"
        return f"{found_errors_clause}; there the cuts may not follow the syntax.{other_language_sentence}"

    def item(self, node: Node, owner_noun: str = "") -> CodeItem:
        """Return the item that names a node; ``owner_noun`` is the noun of the definition around it."""
        assigned_name = ""
        definition_node = node
        for _ in range(6):
            if definition_node.type in _NAME_AND_VALUE_FIELDS_BY_NODE_TYPE:
                name_field, value_field = _NAME_AND_VALUE_FIELDS_BY_NODE_TYPE[definition_node.type]
                name_node, nested_node = (
                    definition_node.child_by_field_name(name_field),
                    definition_node.child_by_field_name(value_field),
                )
                if name_node is None or nested_node is None or nested_node.type not in _NOUN_BY_NODE_TYPE:
                    break
                assigned_name, definition_node = self._node_text_beginning(name_node), nested_node
            elif definition_node.type in _CHILD_FIELD_BY_WRAPPER_TYPE:
                nested_field = _CHILD_FIELD_BY_WRAPPER_TYPE[definition_node.type]
                if nested_field:
                    nested_node = definition_node.child_by_field_name(nested_field) or definition_node.child_by_field_name(
                        "value"
                    )
                else:
                    nested_node = definition_node.named_children[-1] if definition_node.named_children else None
                if nested_node is None:
                    break
                definition_node = nested_node
            else:
                break
        kind_noun = _NOUN_BY_NODE_TYPE.get(definition_node.type)
        definition_name = assigned_name or (self._definition_name(definition_node) if kind_noun else "")
        if kind_noun is None or not definition_name:
            return CodeItem(_noun_of_non_definition_node(node))
        if kind_noun == "function" and owner_noun in _CLASS_NOUNS:
            kind_noun = "method"
        definition_keyword = next(
            (child.type for child in definition_node.children if _DEFINITION_KEYWORD_PATTERN.match(child.type)), ""
        )
        if definition_node.type == "type_spec":
            definition_keyword = "type"
        return CodeItem(kind_noun, definition_name, f"{definition_keyword} {definition_name}".strip(), definition_node)

    def _definition_name(self, node: Node) -> str:
        """Return the name of a definition."""
        if node.type == "impl_item":
            body_node = node.child_by_field_name("body")
            head_end_byte_index = node.end_byte if body_node is None else body_node.start_byte
            head_words = self._data[node.start_byte : head_end_byte_index].decode(errors="ignore").split()
            return " ".join(head_words).removeprefix("unsafe ").removeprefix("impl").strip()[:_LONGEST_NAME]
        name_node = node.child_by_field_name("name")
        innermost_declarator = node
        while name_node is None:
            declarator_node = innermost_declarator.child_by_field_name("declarator")
            if declarator_node is None:
                if (
                    innermost_declarator is node
                    or not innermost_declarator.type.endswith("declarator")
                    or not innermost_declarator.named_children
                ):
                    break
                declarator_node = innermost_declarator.named_children[-1]
            innermost_declarator = declarator_node
        return (
            ""
            if name_node is None and innermost_declarator is node
            else self._node_text_beginning(name_node or innermost_declarator)
        )

    def find_breaks_of_whole_code(self, fits_function: Callable[[int, int], bool], caller_name: str) -> list[CodeBreak]:
        """Return the places at which the code may be cut, in order, its beginning included.

        Parameters
        ----------
        fits_function
            Returns whether the text between two offsets fits into a chunk.
        caller_name
            Who asks, for the message.

        Raises
        ------
        InputError
            If there are too many statements and the like.
        """
        return list(_BreakFinder(self, fits_function, caller_name).breaks_between_members(self.root, (), "", 0))


def paragraph_breaks(text: str) -> list[CodeBreak]:
    """Return the places behind blank lines, at which a text in no known language may be cut."""
    breaks, line_start, follows_blank_line = [], 0, False
    for line in text.splitlines(keepends=True):
        stripped_line = line.lstrip()
        if stripped_line and follows_blank_line:
            breaks.append(CodeBreak(line_start + len(line) - len(stripped_line), "between two paragraphs", "a paragraph"))
        follows_blank_line = line_start > 0 and not stripped_line
        line_start += len(line)
    return breaks


def _noun_of_non_definition_node(node: Node) -> str:
    """Return the noun of a node that is no definition."""
    if node.type == "ERROR":
        return "passage with a syntax error"
    if _is_docstring(node):
        return "docstring"
    for known_noun in ("comment", "import", "include"):
        if known_noun in node.type:
            return known_noun
    if node.type in ("lexical_declaration", "variable_declaration"):
        return "declaration"
    if node.type == "expression_statement":
        return "statement"
    return node.type.removeprefix("preproc_").replace("_", " ")


class _BreakFinder:
    """A walk down a tree into all that does not fit into a chunk."""

    def __init__(self, syntax: Syntax, fits: Callable[[int, int], bool], caller_name: str) -> None:
        self._syntax = syntax
        self._fits = fits
        self._who = caller_name
        self._seen_node_count = 0
        self._last_break_offset = -1

    def _new_break_at_visible_character(self, byte_index: int) -> int | None:
        """Return the offset of the first visible character from a byte on; None if a break is there or behind already."""
        whole_source = self._syntax.text
        white_space_match = _WHITE_SPACE_PATTERN.match(whole_source, self._syntax.offset_of_byte(byte_index))
        first_visible_offset = len(whole_source) if white_space_match is None else white_space_match.end()
        if first_visible_offset <= self._last_break_offset or first_visible_offset >= len(whole_source):
            return None
        self._last_break_offset = first_visible_offset
        return first_visible_offset

    def _count_and_return_children(self, node: Node) -> list[Node]:
        """Return the children of a node; each takes memory, so that all together are limited."""
        self._seen_node_count += node.child_count
        if self._seen_node_count > MAX_SENTENCES:
            raise InputError(
                f"{self._who}: a text may have at most {MAX_SENTENCES:,} statements, entries and marks between them; "
                "this code has more. Divide the text."
            )
        return node.children

    def _is_too_long(self, node: Node) -> bool:
        return not self._fits(self._syntax.offset_of_byte(node.start_byte), self._syntax.offset_of_byte(node.end_byte))

    def _breaks_inside_node(
        self, node: Node, definition_path: tuple[str, ...], owner_noun: str, depth: int
    ) -> Iterator[CodeBreak]:
        """Yield the breaks inside a node that is too long."""
        if depth > _DEEPEST_NODE:
            return
        if _LIST_NODE_TYPE_PATTERN.match(node.type):
            yield from self.breaks_between_members(node, definition_path, owner_noun, depth)
            return
        child_syntax_nodes = self._count_and_return_children(node)
        too_long_children = [child for child in child_syntax_nodes if child.child_count and self._is_too_long(child)]
        # All of its parts may fit, only not together.
        body_or_longest_child = max(child_syntax_nodes, key=lambda child: child.end_byte - child.start_byte, default=None)
        body_or_longest_child = (
            node.child_by_field_name("definition") or node.child_by_field_name("body") or body_or_longest_child
        )
        for child in child_syntax_nodes:
            if (
                child.type in _CLAUSE_NODE_TYPES
                and (break_offset := self._new_break_at_visible_character(child.start_byte)) is not None
            ):
                yield CodeBreak(
                    break_offset,
                    f"before the {_noun_of_non_definition_node(child)}{_of_definition_phrase(definition_path)}",
                    f"the {_noun_of_non_definition_node(child)}",
                    definition_path,
                    definition_path,
                )
            if (
                node.type in _DECORATED_NODE_TYPES
                and child == body_or_longest_child
                and (break_offset := self._new_break_at_visible_character(child.start_byte)) is not None
            ):
                child_noun_and_name = self._syntax.item(child, owner_noun)
                yield CodeBreak(
                    break_offset,
                    f"in front of {child_noun_and_name}",
                    str(child_noun_and_name),
                    definition_path[:-1] if definition_path[-1:] == (child_noun_and_name.label,) else definition_path,
                    definition_path,
                    is_weak=True,
                )
                if not too_long_children:
                    continue
            # A function is looked into only for what it gives its name to.
            may_be_split = (
                child.type not in _NODE_TYPES_KEPT_WHOLE
                or node.type in _NAME_AND_VALUE_FIELDS_BY_NODE_TYPE
                or node.type in _CHILD_FIELD_BY_WRAPPER_TYPE
            )
            if child in too_long_children or (not too_long_children and child == body_or_longest_child and may_be_split):
                yield from self._breaks_inside_node(child, definition_path, owner_noun, depth + 1)

    def breaks_between_members(
        self, node: Node, definition_path: tuple[str, ...], owner_noun: str, depth: int
    ) -> Iterator[CodeBreak]:
        """Yield the breaks between the members of a list, such as the whole text, and inside those that are too long."""
        parsed_code = self._syntax
        previous_main_member: Node | None = None
        leading_members: list[Node] = []
        preceding_long_definition_phrase = ""
        child_syntax_nodes = self._count_and_return_children(node)
        named_children = [child for child in child_syntax_nodes if child.is_named and child.end_byte > child.start_byte]
        too_long_child_numbers = {number for number, child in enumerate(named_children) if self._is_too_long(child)}
        main_number_by_member = self._find_member_each_belongs_to(named_children)
        item_by_node_id: dict[int, CodeItem] = {}

        def build_item_of_child_once(child: Node) -> CodeItem:
            if child.id not in item_by_node_id:
                item_by_node_id[child.id] = parsed_code.item(child, owner_noun)
            return item_by_node_id[child.id]

        for child_number, child in enumerate(named_children):
            preceding_member = leading_members[-1] if leading_members else previous_main_member
            shares_line = preceding_member is not None and preceding_member.end_point.row == child.start_point.row
            if (shares_line and child.type.endswith("comment")) or (child_number and _is_docstring(child)):
                # It belongs to what is in front.
                continue
            # The definition that the comments in front belong to may be too long, so that they are alone with it.
            too_long_member_item = (
                build_item_of_child_once(named_children[main_number_by_member[child_number]])
                if main_number_by_member[child_number] in too_long_child_numbers
                else CodeItem("")
            )
            long_definition_phrase = (
                too_long_member_item.label
                and too_long_member_item.noun
                and f"{too_long_member_item.noun} {too_long_member_item.name}"
            )
            is_weak_break = preceding_member is None or bool(leading_members)
            code_break_offset = self._new_break_at_visible_character(child.start_byte)
            if code_break_offset is not None:
                child_noun_and_name = build_item_of_child_once(child)
                definition_path_after_break = (
                    (*definition_path, child_noun_and_name.label)
                    if child_number in too_long_child_numbers and child_noun_and_name.label
                    else definition_path
                )
                item_after_break = (
                    child_noun_and_name
                    if preceding_member is None or leading_members
                    else build_item_of_child_once(named_children[main_number_by_member[child_number]])
                )
                break_place_phrase = _break_place_phrase(
                    None if preceding_member is None else build_item_of_child_once(preceding_member),
                    item_after_break,
                    definition_path,
                )
                too_long_neighbour_phrase = (
                    "" if leading_members else preceding_long_definition_phrase or long_definition_phrase
                )
                yield CodeBreak(
                    code_break_offset,
                    break_place_phrase,
                    str(child_noun_and_name),
                    definition_path,
                    definition_path_after_break,
                    is_weak_break,
                    too_long_neighbour_phrase if preceding_member is not None else "",
                )
            if child_number in too_long_child_numbers:
                child_noun_and_name = build_item_of_child_once(child)
                definition_path_inside_child = (
                    (*definition_path, child_noun_and_name.label) if child_noun_and_name.label else definition_path
                )
                yield from self._breaks_inside_node(
                    child,
                    definition_path_inside_child,
                    child_noun_and_name.noun if child_noun_and_name.label else owner_noun,
                    depth + 1,
                )
            if main_number_by_member[child_number] > child_number:
                leading_members.append(child)
                continue
            preceding_long_definition_phrase = long_definition_phrase or ""
            previous_main_member, leading_members = child, []
        closing_bracket = child_syntax_nodes[-1] if child_syntax_nodes else None
        if (
            closing_bracket is not None
            and not closing_bracket.is_named
            and closing_bracket.type[-1:] in ")]}"
            and named_children
        ):
            code_break_offset = self._new_break_at_visible_character(closing_bracket.start_byte)
            if code_break_offset is not None:
                yield CodeBreak(
                    code_break_offset,
                    f"before the end{_of_definition_phrase(definition_path)}",
                    "the end",
                    definition_path,
                    definition_path,
                    True,
                )

    def _find_member_each_belongs_to(self, sibling_nodes: Sequence[Node]) -> list[int]:
        """Return the member that each belongs to: itself, or what its comments, decorators or docstring lead."""
        main_number_by_member = [*range(len(sibling_nodes))]
        for sibling_index in reversed(range(len(sibling_nodes) - 1)):
            if _COMMENT_OR_DECORATOR_TYPE_PATTERN.match(sibling_nodes[sibling_index].type) or (
                sibling_index == 0 and _is_docstring(sibling_nodes[sibling_index])
            ):
                main_number_by_member[sibling_index] = main_number_by_member[sibling_index + 1]
        return main_number_by_member


def _is_docstring(node: Node) -> bool:
    return node.type == "expression_statement" and [child.type for child in node.children] == ["string"]


def _of_definition_phrase(definition_path: tuple[str, ...]) -> str:
    return f" of {definition_path[-1]}" if definition_path else ""


def _break_place_phrase(item_before: CodeItem | None, item_after: CodeItem, definition_path: tuple[str, ...]) -> str:
    """Return the words for the place between two members."""
    if item_before is None:
        return f"between the head{_of_definition_phrase(definition_path)} and {item_after}"
    if item_before.noun != item_after.noun:
        members_phrase = f"{item_before} and {item_after}"
    elif item_before.name and item_after.name:
        members_phrase = f"the {_plural_noun(item_before.noun)} {item_before.name} and {item_after.name}"
    else:
        members_phrase = f"two {_plural_noun(item_before.noun)}"
    return f"between {members_phrase}{_of_definition_phrase(definition_path)}"


def _plural_noun(noun: str) -> str:
    return f"{noun}es" if noun.endswith(("s", "x", "ch")) else f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
