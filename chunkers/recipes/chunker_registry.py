"""The tables of chunkers: plain ones, those that ask a language model, adapters, and chunks made elsewhere.

Other packages add chunkers: installed packages by an entry point of the group `ENTRY_POINT_GROUP`, other code by `register`.
Such a class is checked, and guarded so that its errors break nothing else.
"""

import inspect
import re
import threading
from collections.abc import Callable
from functools import wraps
from importlib import metadata
from itertools import pairwise
from typing import Any

from chunkers.adapters.base import Adapter
from chunkers.adapters.chonkie import ChonkieSemantic
from chunkers.adapters.chroma import ChromaCluster
from chunkers.adapters.docling import DoclingHybrid
from chunkers.adapters.langchain import LangChainSemantic
from chunkers.adapters.llama_index_splitters import LlamaIndexDoubleMerging, LlamaIndexSemantic
from chunkers.adapters.semchunk import Semchunk
from chunkers.contract import Chunker, FieldSpec, Reach, Tipping, Tools
from chunkers.methods import (
    Breakpoint,
    ChangePoint,
    Code,
    Dbscan,
    DoublePass,
    FixedCharacters,
    FixedSentences,
    FixedTokens,
    FixedWords,
    KMeans,
    Llm,
    Lumber,
    MaxMin,
    Optimal,
    Propositions,
    Recursive,
    SingleLinkage,
    Structure,
    TargetSize,
    Turns,
    YourChunks,
    YourCuts,
)
from chunkers.results import Chunking, Gap, Reason, Verdict
from chunkers.support import Cancelled, InputError, ModelError, ParameterError, one_line_message, short_repr
from chunkers.text import Document

CHUNKERS: dict[str, type[Chunker]] = {
    chunker.name: chunker
    for chunker in (
        FixedSentences,
        FixedWords,
        FixedCharacters,
        FixedTokens,
        Recursive,
        Structure,
        Turns,
        Code,
        Breakpoint,
        TargetSize,
        DoublePass,
        MaxMin,
        Optimal,
        ChangePoint,
        SingleLinkage,
        Dbscan,
        KMeans,
    )
}

MODEL_ASKING_CLASS_BY_NAME: dict[str, type[Chunker]] = {chunker.name: chunker for chunker in (Llm, Lumber, Propositions)}

GIVEN_CHUNKS_CLASS_BY_NAME: dict[str, type[Chunker]] = {YourChunks.name: YourChunks, YourCuts.name: YourCuts}
"""Chunkers of chunks made elsewhere: by a program whose file of chunks must be at hand, or by the user's own cuts."""

ADAPTERS: dict[str, type[Adapter]] = {
    adapter.name: adapter
    for adapter in (
        LangChainSemantic,
        LlamaIndexSemantic,
        LlamaIndexDoubleMerging,
        ChonkieSemantic,
        ChromaCluster,
        Semchunk,
        DoclingHybrid,
    )
}


ENTRY_POINT_GROUP = "seamark.chunkers"
"""The group of entry points by which installed packages offer their chunkers."""

_registry_lock = threading.RLock()
_entry_points_loaded_marks: list[bool] = []
_fault_by_offered_name: dict[str, str] = {}
"""Sentences on offers that cannot be used, by the name under which they are offered."""


def register(kind: type[Chunker], package: str = "") -> type[Chunker]:
    """Register a chunker class, so that its name works in `chunkers.chunk`, on the page, in links and in recipes.

    The registration is limited to this process; an installed package offers its chunkers through entry points of the
    group ``seamark.chunkers``. May be used as a decorator.

    Parameters
    ----------
    kind
        A subclass of `Chunker`. A class of the same module and name replaces the earlier class.
    package
        Distribution that contains the class, for error messages and recipes; empty for none.

    Raises
    ------
    InputError
        If the class is not usable, or its name belongs to another chunker.
    """
    kind = check_chunker_class(kind)
    with _registry_lock:
        registered_class = _registered_class_or_none(kind.name)
        if registered_class is not None and (registered_class.__module__, registered_class.__qualname__) != (
            kind.__module__,
            kind.__qualname__,
        ):
            raise InputError(
                f"{kind.name}: every chunker must have a name of its own; {registered_class.title} already has this name. "
                "Choose another name."
            )
        guard_chunker_class_in_place(kind, package)
        CHUNKERS[kind.name] = kind
    return kind


def register_installed_chunkers() -> tuple[str, ...]:
    """Register the chunkers of installed packages, on the first call only; return a message for each unusable chunker.

    An error in a package affects only that package's chunkers.
    """
    with _registry_lock:
        if not _entry_points_loaded_marks:
            _entry_points_loaded_marks.append(True)
            for entry_point in metadata.entry_points(group=ENTRY_POINT_GROUP):
                package_name = entry_point.dist.name if entry_point.dist is not None else ""
                try:
                    register(entry_point.load(), package_name)
                except (Exception, SystemExit) as error:
                    failure_reason = str(error).rstrip(".") if isinstance(error, InputError) else error_summary(error)
                    package_phrase = f"The package {package_name}" if package_name else "A package"
                    _fault_by_offered_name[entry_point.name] = (
                        f"{package_phrase} offers the chunker {short_repr(entry_point.name)}, which cannot be used: "
                        f"{failure_reason}."
                    )
        return tuple(_fault_by_offered_name.values())


def chunker_class(name: str) -> type[Chunker]:
    """Return the chunker or adapter class called ``name``.

    Raises
    ------
    ParameterError
        If there is no such chunker, or the package that offers it cannot be loaded or offers an unusable class.
    """
    found_class = _registered_class_or_none(name)
    if found_class is None and isinstance(name, str):
        register_installed_chunkers()
        found_class = _registered_class_or_none(name)
        if found_class is None and name in _fault_by_offered_name:
            raise ParameterError(_fault_by_offered_name[name])
    if found_class is None:
        raise ParameterError(f"chunker must be one of {known_chunkers_phrase()}; got {short_repr(name)}.")
    return found_class


def takes_over_existing_chunks(name: str) -> bool:
    """Return whether the chunker called ``name`` only takes over chunks, so that its time says nothing; False if unknown."""
    registered_class = _registered_class_or_none(name)
    return registered_class is not None and registered_class.elsewhere


def known_chunkers_phrase() -> str:
    """Return the names of all chunkers, for messages."""
    return ", ".join([*CHUNKERS, *MODEL_ASKING_CLASS_BY_NAME, *ADAPTERS])


def _registered_class_or_none(name: str) -> type[Chunker] | None:
    return (
        {**CHUNKERS, **MODEL_ASKING_CLASS_BY_NAME, **ADAPTERS, **GIVEN_CHUNKS_CLASS_BY_NAME}.get(name)
        if isinstance(name, str)
        else None
    )


# Chunkers of other packages: requirements on such a class, and isolation of its errors.

NAME_PATTERN = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""Pattern of a valid chunker name, as used in links, file names and command lines."""

REQUIRED_ATTRIBUTES = ("title", "idea", "source")

PARAMETER_TYPES_WITH_CONTROL = ("integer", "number", "choice")
"""The types of parameters for which the page has a control."""

RETURN_TYPE_BY_HOOK: dict[str, Any] = {
    "levels": list,
    "describe": str,
    "remark": str,
    "idle": frozenset,
    "reach": Reach | None,
    "tipping": Tipping | None,
    "caveat": str,
}
"""Optional members of a chunker that the page reads, with the type of each value."""


def check_chunker_class(candidate: object) -> type[Chunker]:
    """Return the candidate if it is usable as a chunker class on the page, in links and on the command line.

    Raises
    ------
    InputError
        If the candidate is not usable; the message says what is required.
    """
    if not isinstance(candidate, type) or not issubclass(candidate, Chunker):
        raise InputError(f"a chunker must be a subclass of Chunker; got {short_repr(candidate)}.")
    if inspect.isabstract(candidate):
        raise InputError(f"{candidate.__name__} must have the method chunk(document, tools); it has none.")
    chunker_name = getattr(candidate, "name", None)
    if not isinstance(chunker_name, str) or not NAME_PATTERN.fullmatch(chunker_name):
        fault_phrase = f"got {short_repr(chunker_name)}" if chunker_name is not None else "it has none"
        raise InputError(
            f"{candidate.__name__}: name must be 1 to 40 lower-case letters, digits and underscores, beginning with a "
            f"letter; {fault_phrase}."
        )
    for required_attribute_name in REQUIRED_ATTRIBUTES:
        required_attribute_value = getattr(candidate, required_attribute_name, None)
        if not isinstance(required_attribute_value, str) or not required_attribute_value.strip():
            raise InputError(
                f"{chunker_name}: {required_attribute_name} must be a non-empty string; got "
                f"{short_repr(required_attribute_value)}."
            )
    for parameter_spec in candidate.fields():
        _check_field(chunker_name, parameter_spec)
    # What no parameter breaks by itself, a validator may.
    candidate()
    return candidate


def _check_field(chunker_name: str, field_spec: FieldSpec) -> None:
    if field_spec.kind not in PARAMETER_TYPES_WITH_CONTROL:
        raise InputError(f"{chunker_name}: {field_spec.name} must be a number or a Literal; its type is {field_spec.kind}.")
    if field_spec.default is None and not field_spec.optional:
        raise InputError(f"{chunker_name}: {field_spec.name} must have a default; it has none.")
    if (
        field_spec.kind != "choice"
        and not field_spec.optional
        and field_spec.offered is None
        and None in (field_spec.low, field_spec.high)
    ):
        raise InputError(
            f"{chunker_name}: {field_spec.name} must have a minimum and a maximum, declared with ge= and le=; one of them "
            "is "
            "missing."
        )


def guard_chunker_class_in_place(guarded_class: type[Chunker], owner_package_name: str) -> None:
    """Wrap a third-party chunker's methods so that their errors cannot break the app; a second call changes nothing.

    An error raised by ``chunk``, or a return value that is not a result, becomes a `ModelError` that names the package.
    A hook that raises an error or returns an invalid value is ignored. Recipes record the package's version.
    """
    if "_guarded" in vars(guarded_class):
        return
    package_or_module_phrase = (
        f"the package {owner_package_name}" if owner_package_name else f"the module {guarded_class.__module__}"
    )
    guarded_class.chunk = _guard_chunk_method(guarded_class.chunk, guarded_class.name, package_or_module_phrase)  # type: ignore[method-assign]
    for hook_name, expected_type in RETURN_TYPE_BY_HOOK.items():
        setattr(
            guarded_class,
            hook_name,
            _wrap_hook_with_fallback(getattr(guarded_class, hook_name), getattr(Chunker, hook_name), expected_type),
        )
    base_fields_method = Chunker.fields.__func__  # type: ignore[attr-defined]  # every class method has it
    for hook_name, fallback_method, expected_type in (
        ("fields", base_fields_method, list),
        ("versions", lambda kind: {}, dict),
    ):
        setattr(
            guarded_class,
            hook_name,
            classmethod(
                _wrap_hook_with_fallback(getattr(guarded_class, hook_name).__func__, fallback_method, expected_type)
            ),
        )
    if owner_package_name:
        guarded_class.packages = tuple(dict.fromkeys((*guarded_class.packages, owner_package_name)))

    def reduce_for_pickling(self: Chunker) -> tuple[Any, ...]:
        return _rebuild_chunker, (guarded_class, owner_package_name, self.model_dump())

    guarded_class.__reduce__ = reduce_for_pickling  # type: ignore[assignment, method-assign]
    guarded_class._guarded = True  # type: ignore[attr-defined]


def _rebuild_chunker(unpickled_chunker_class: type[Chunker], owner_package_name: str, parameters: dict[str, Any]) -> Chunker:
    """Make a chunker in another process, where its class may not be guarded yet."""
    guard_chunker_class_in_place(unpickled_chunker_class, owner_package_name)
    return unpickled_chunker_class(**parameters)


def _guard_chunk_method(
    method: Callable[..., Chunking], chunker_name: str, package_or_module_phrase: str
) -> Callable[..., Chunking]:
    @wraps(method)
    def guarded_chunk(self: Chunker, document: Document, tools: Tools) -> Chunking:
        try:
            chunking = method(self, document, tools)
        except (InputError, Cancelled):
            raise
        except Exception as error:
            raise ModelError(
                f"{chunker_name}, of {package_or_module_phrase}, could not cut this text; it failed with "
                f"{error_summary(error)}. Change a parameter, or choose another chunker."
            ) from error
        if result_fault := _fault_of_result(chunking, document):
            raise ModelError(
                f"{chunker_name}, of {package_or_module_phrase}, must return a result for this text; {result_fault}."
            )
        return chunking

    return guarded_chunk


def _wrap_hook_with_fallback(
    method: Callable[..., Any], fallback_method: Callable[..., Any], expected_type: Any
) -> Callable[..., Any]:
    @wraps(method)
    def call_hook_or_fallback(chunker_or_class: Chunker | type[Chunker], *arguments: Any) -> Any:
        try:
            hook_return_value = method(chunker_or_class, *arguments)
        except Cancelled:
            raise
        except Exception:
            return fallback_method(chunker_or_class, *arguments)
        return (
            hook_return_value
            if isinstance(hook_return_value, expected_type)
            else fallback_method(chunker_or_class, *arguments)
        )

    return call_hook_or_fallback


def error_summary(error: BaseException) -> str:
    """Summarise an error from third-party code in a few words for a message."""
    return one_line_message(f"{type(error).__name__}: {error}", 200).rstrip(".: ")


def _fault_of_result(returned: object, document: Document) -> str:
    """Return the fault of a result; empty if it is a valid result for this document."""
    if not isinstance(returned, Chunking):
        return f"it returned {short_repr(returned)}"
    if returned.document is not document and returned.document != document:
        return "it returned a result for another document"
    text = document.text
    for chunk_index, chunk in enumerate(returned.chunks):
        chunk_spans = chunk.spans
        spans_lie_in_text = all(0 <= start < end <= len(text) for start, end in chunk_spans)
        if not chunk_spans or not spans_lie_in_text or any(one.end > other.start for one, other in pairwise(chunk_spans)):
            return (
                f"the spans of chunk {chunk_index + 1:,} must be stretches of the text in order; they are "
                f"{short_repr(chunk_spans)}"
            )
        if chunk.text != "\n".join(text[start:end] for start, end in chunk_spans):
            return f"the text of chunk {chunk_index + 1:,} must be that of its spans; it is another"
    if any(one.start > other.start for one, other in pairwise(returned.chunks)):
        return "its chunks must be in the order in which they begin; they are not"
    return _fault_of_gaps(returned.gaps, document)


def _fault_of_gaps(gaps: Any, document: Document) -> str:
    gaps = [*gaps]
    if not all(isinstance(gap, Gap) and isinstance(gap.verdict, Verdict) and isinstance(gap.why, Reason) for gap in gaps):
        return "every gap must be a Gap with a Verdict and a Reason; one is not"
    sentence_count = len(document.sentences)
    if [gap.index for gap in gaps if gap.offset is None] != [*range(max(0, sentence_count - 1))]:
        return f"it must have one gap after each of the {sentence_count:,} sentences but the last; it has others"
    gap_index_and_offset_pairs = [(gap.index, gap.start_after(document)) for gap in gaps if 0 <= gap.index < sentence_count]
    are_gap_offsets_valid = all(
        gap.offset is None or document.sentences[gap.index].start < gap.offset < document.sentences[gap.index].end
        for gap in gaps
        if 0 <= gap.index < sentence_count
    )
    if (
        len(gap_index_and_offset_pairs) < len(gaps)
        or not are_gap_offsets_valid
        or gap_index_and_offset_pairs != sorted(gap_index_and_offset_pairs)
    ):
        return "its gaps must be in order, and an offset inside its sentence; they are not"
    return ""
