"""The base class of chunkers: a frozen model whose fields are the parameters, with one pure function."""

import inspect
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Self

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticUndefined

from chunkers.contract.tools import Meter, Tools
from chunkers.results import Chunking, Gap, LazyTuple, Timing
from chunkers.support import ParameterError, format_bound_of_range, format_number, short_repr
from chunkers.text import Document, misfit_warnings


@dataclass(frozen=True)
class FieldSpec:
    """Declaration of one chunker parameter, with all details that forms, tables and error messages need.

    ``low`` and ``high`` are the allowed range; ``offered`` are a slider's bounds where they are narrower. ``depends`` names
    the parameter whose value changes this declaration; ``ordered`` choices go from less to more.
    """

    name: str
    title: str
    help: str
    default: Any
    kind: str
    optional: bool = False
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    offered: tuple[float, float] | None = None
    step: float | None = None
    unit: str = ""
    main: bool = False
    depends: str = ""
    ordered: bool = False

    @property
    def stops(self) -> list[float]:
        """Values at which a slider stops, ascending; 100 equal steps if the parameter declares no step."""
        low, high = self.offered or (self.low or 0.0, self.high or 1.0)
        slider_step = self.step or (high - low) / 100
        return [round(low + slider_step * count, 6) for count in range(round((high - low) / slider_step) + 1)]


class Reach(NamedTuple):
    """Limit on the joint distance between sentences in one chunk.

    Attributes
    ----------
    position_weight
        λ of the joint distance, from 0 to 1: how much position counts against meaning.
    name
        The chunker's name for the maximum distance.
    distance
        The maximum joint distance, from 0 to 1.
    """

    position_weight: float
    name: str
    distance: float


class Setting(NamedTuple):
    """A parameter's value, with the parameter's display name, such as ``percentile``."""

    parameter: str
    name: str
    value: float


class Tipping(NamedTuple):
    """A parameter value that would reverse the verdict on a gap.

    Attributes
    ----------
    parameter
        The name of the parameter.
    name
        Name of the parameter in sentences, such as ``percentile``.
    value
        A slider stop of the parameter at which the verdict is reversed. The stop before it, on the way from the present
        value, does not reverse it.
    cuts
        True if the gap is cut with that value.
    margin
        Distance of the deciding score from its threshold, in the score's units; None if no score decided.
    also
        A second parameter that has to change as well, because the first alone does not reverse the verdict; None if the
        first alone does. The stop before its value does not reverse the verdict.
    alone
        With a second parameter, the reason why neither suffices alone.
    """

    parameter: str
    name: str
    value: float
    cuts: bool
    margin: float | None = None
    also: Setting | None = None
    alone: str = ""

    @property
    def new_values(self) -> dict[str, float]:
        """New values of the one or two changed parameters, keyed by parameter name."""
        return {self.parameter: self.value} | ({self.also.parameter: self.also.value} if self.also else {})

    def claim(self) -> str:
        """Return the effect of the parameter change as a phrase, such as ``percentile 75 would keep it``."""
        parameter_value_phrase = f"{self.name} {format_number(self.value)}"
        if self.also is not None:
            parameter_value_phrase += f" with {self.also.name} {format_number(self.also.value)}"
        parameter_value_phrase += f" would {'cut here' if self.cuts else 'keep it'}"
        return f"{parameter_value_phrase}, neither alone: {self.alone}" if self.alone else parameter_value_phrase

    def describe_distance_to_threshold(self) -> str:
        """Return the distance of the score from its threshold as a phrase, such as ``by 0.126``; empty without a score."""
        if self.margin is None:
            return ""
        return f"by {f'{self.margin:.3f}' if self.margin >= 0.001 else 'less than 0.001'}"

    def __str__(self) -> str:
        """Return the margin and the change as a phrase."""
        return ": ".join(part for part in (self.describe_distance_to_threshold(), self.claim()) if part)


class Estimate(NamedTuple):
    """Estimated number of requests to a language model, with their token counts.

    Attributes
    ----------
    requests
        Number of requests.
    tokens
        Number of tokens sent, counted by the tokenizer in use, without the answers.
    answers
        Number of tokens in the answers, if they are longer than one line each; 0 for most chunkers.
    """

    requests: int
    tokens: int
    answers: int = 0


class Chunker(BaseModel, ABC, frozen=True, extra="forbid", allow_inf_nan=False):
    """Base class for all chunkers; a subclass declares its parameters and implements ``chunk``, a pure function.

    The fields of a subclass are its parameters, declared once with type, bounds, default, title and help. The page's
    controls, the link, the recipe, the command line and the error messages all read this declaration. The extra keys
    ``unit``, ``step``, ``offered`` (a slider's bounds, if narrower than the allowed range), ``ordered`` (choices that go
    from less to more) and ``main`` (shown unfolded) go into ``json_schema_extra``. For the Guide, ``formula`` is the
    decision in LaTeX, ``symbols`` explains the formula's symbols in Markdown, and ``failure`` describes known failures.
    ``older`` has the values of parameters that old recipes and links lack because the parameters were added later.
    ``embeds`` is true if a chunker may ask for embeddings; on the class, if it does so with default parameters. ``asks``
    is true if it asks a language model; ``elsewhere``, if its chunks were made elsewhere, so that it cuts nothing
    itself; ``reads_blocks``, if it looks for paragraphs, lists, tables and code, as the ranking by structure does.

    Code that uses chunkers calls their methods and never checks their types. A chunker that needs more than parameters
    overrides hooks: `levels`, `describe`, `remark`, `changed_since`, `idle`, `reach`, `tipping`, `estimate`,
    `for_documents`, `caveat`, `wording` and `versions`, or sets ``packages``, the distributions besides this one on whose
    versions the result depends. ``extra`` is the extra of Seamark without which the chunker cannot run; empty for most.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    idea: ClassVar[str]
    source: ClassVar[str]
    formula: ClassVar[str] = ""
    symbols: ClassVar[str] = ""
    failure: ClassVar[str] = ""
    embeds: ClassVar[bool] = False
    older: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    asks: ClassVar[bool] = False
    elsewhere: ClassVar[bool] = False
    reads_blocks: ClassVar[bool] = False
    packages: ClassVar[tuple[str, ...]] = ()
    extra: ClassVar[str] = ""

    def __init__(self, /, **parameters: Any) -> None:
        """Make the chunker; whatever is wrong with the parameters is reported in one sentence.

        Raises
        ------
        ParameterError
            If a parameter is wrong; the message names the chunker, the parameter, its rule and the value.
        """
        for parameter, value in parameters.items():
            declared_parameter_field = type(self).model_fields.get(parameter)
            if (
                isinstance(value, bool)
                and declared_parameter_field is not None
                and declared_parameter_field.annotation is not bool
            ):
                # pydantic would take them for 1 and 0.
                raise ParameterError(f"{self.name}: {parameter} must not be true or false; got {value}.")
        try:
            super().__init__(**parameters)
        except ValidationError as error:
            raise ParameterError(_parameter_error_sentence(type(self), error)) from error

    @abstractmethod
    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document into chunks, without side effects other than caching and counting in ``tools``."""

    @classmethod
    def build(cls, /, **parameters: Any) -> Self:
        """Construct the chunker from parameters whose types are only known at run time.

        Raises ParameterError as the constructor does.
        """
        return cls(**parameters)

    @classmethod
    def fields(cls, values: Mapping[str, Any] | None = None) -> list[FieldSpec]:
        """Return the declarations of all parameters, some of which may depend on the current ``values``."""
        return [*_list_parameter_specs(cls)]

    def levels(self, parameter: str, values: Sequence[float], scores: Sequence[float]) -> list[float]:
        """Return the threshold level on a curve of ``scores`` for each of several ``values`` of a parameter."""
        return [float(value) for value in values]

    def describe(self) -> str:
        """Return the chunker's most important settings as a short phrase."""
        return ", ".join(f"{spec.title.lower()} {getattr(self, spec.name)}" for spec in self.fields() if spec.main)

    def remark(self, parameter: str) -> str:
        """Return a sentence that explains a parameter's value; empty if the value needs no explanation."""
        return ""

    def changed_since(self, sentences: int | None = None) -> str:
        """Return a sentence on how cuts may have changed since the values in ``older`` applied; empty if none can have.

        Parameters
        ----------
        sentences
            Number of sentences of the text; None for texts of any length.
        """
        return ""

    def idle(self) -> frozenset[str]:
        """Return the names of the parameters that have no effect with the other parameters' present values."""
        return frozenset()

    def reach(self) -> Reach | None:
        """Return the maximum joint distance of two sentences in one chunk; None if distance alone does not decide."""
        return None

    def tipping(self, chunking: Chunking, gap: Gap, tools: Tools) -> Tipping | None:
        """Return the parameter change that would reverse the verdict on a gap; None if there is none or it is unknown.

        Any further runs that this requires ask ``tools`` for the same embeddings as the first run.
        """
        return None

    def estimate(self, document: Document, tools: Tools) -> Estimate:
        """Estimate the language-model requests and tokens needed to cut the document; nothing is sent."""
        return Estimate(0, 0)

    def for_documents(self, names: Sequence[str]) -> "Chunker":
        """Return the chunker to use for one run over the documents with these names.

        Raises InputError if the chunker cannot cut all of them.
        """
        return self

    def caveat(self) -> str:
        """Return a caveat shown next to every measurement of this chunker's results; empty for most chunkers."""
        return ""

    @classmethod
    def wording(cls) -> tuple[str, ...]:
        """Return the prompts sent to a language model; empty for chunkers that use no language model."""
        return ()

    @classmethod
    def versions(cls) -> dict[str, str]:
        """Return the installed version of each package in ``packages``, for recipes.

        Raises
        ------
        importlib.metadata.PackageNotFoundError
            If a package is not installed.
        """
        return {package: metadata.version(package) for package in cls.packages}


@cache
def _list_parameter_specs(cls: type[Chunker]) -> tuple[FieldSpec, ...]:
    """Return the declaration of every parameter; a page asks for them many times whenever it is drawn."""
    json_schema = cls.model_json_schema()["properties"]
    own_parameter_names = [name for name in cls.model_fields if name in inspect.get_annotations(cls)]
    parameter_names_own_first = dict.fromkeys([*own_parameter_names, *cls.model_fields])
    return tuple(
        _parameter_spec(name, json_schema[name], cls.model_fields[name].default) for name in parameter_names_own_first
    )


def _parameter_spec(name: str, parameter_schema: dict[str, Any], default: Any) -> FieldSpec:
    value_schema = next(
        variant for variant in parameter_schema.get("anyOf", [parameter_schema]) if variant.get("type") != "null"
    )
    return FieldSpec(
        name=name,
        title=parameter_schema["title"],
        help=parameter_schema.get("description", ""),
        default=None if default is PydanticUndefined else default,
        kind="choice" if "enum" in value_schema else value_schema["type"],
        optional="anyOf" in parameter_schema,
        choices=tuple(value_schema.get("enum", ())),
        low=value_schema.get("minimum"),
        high=value_schema.get("maximum"),
        offered=tuple(parameter_schema["offered"]) if "offered" in parameter_schema else None,
        step=parameter_schema.get("step"),
        unit=parameter_schema.get("unit", ""),
        main=parameter_schema.get("main", False),
        ordered=parameter_schema.get("ordered", False),
    )


def _parameter_error_sentence(cls: type[Chunker], error: ValidationError) -> str:
    """Return a sentence on the first broken rule."""
    first_error_details = error.errors(include_url=False)[0]
    broken_parameter_name = str(first_error_details["loc"][0]) if first_error_details["loc"] else ""
    given_value_repr = short_repr(first_error_details["input"])
    pydantic_error_context = first_error_details.get("ctx", {})
    match first_error_details["type"]:
        case "extra_forbidden":
            return (
                f"{cls.name} has no parameter {short_repr(broken_parameter_name)}; its parameters are "
                f"{', '.join(cls.model_fields)}."
            )
        case "value_error":
            return f"{cls.name}: {pydantic_error_context['error']}"
        case "greater_than_equal":
            parameter_requirement_phrase = f"at least {format_bound_of_range(pydantic_error_context['ge'])}"
        case "less_than_equal":
            parameter_requirement_phrase = f"at most {format_bound_of_range(pydantic_error_context['le'])}"
        case "literal_error":
            parameter_requirement_phrase = f"one of {pydantic_error_context['expected'].replace(' or ', ', ')}"
        case "int_type" | "int_parsing" | "int_from_float":
            parameter_requirement_phrase = "a whole number"
        case "int_parsing_size":
            parameter_requirement_phrase = f"a whole number of at most {sys.get_int_max_str_digits():,} digits"
        case "float_type" | "float_parsing" | "finite_number":
            parameter_requirement_phrase = "a finite number"
        case _:
            parameter_requirement_phrase = first_error_details["msg"][0].lower() + first_error_details["msg"][1:]
    return f"{cls.name}: {broken_parameter_name} must be {parameter_requirement_phrase}; got {given_value_repr}."


def run_and_time_chunker(chunker: Chunker, document: Document, tools: Tools) -> Chunking:
    """Run a chunker on a document; add stage timings, and notes if the text does not suit the splitter or model.

    `chunkers.run_chunker` attaches the recipe too.
    """
    run_usage_meter = Meter()
    was_already_split = document.is_split
    chunking_start_time = time.perf_counter()
    embedder = tools.embedder.for_document(document) if tools.embedder is not None else None
    chunking = chunker.chunk(document, replace(tools, embedder=embedder, meter=run_usage_meter))
    elapsed_chunking_seconds = time.perf_counter() - chunking_start_time
    sentence_splitting_ms = document.split_ms if document.is_split else 0.0
    if not was_already_split:
        elapsed_chunking_seconds -= sentence_splitting_ms / 1000
    stage_durations = Timing(
        split_ms=sentence_splitting_ms,
        embed_ms=run_usage_meter.embed_s * 1000,
        embedded=run_usage_meter.embedded,
        cached=run_usage_meter.cached,
        cold_ms=run_usage_meter.uncached_embedding_s * 1000,
        decide_ms=(elapsed_chunking_seconds - run_usage_meter.load_s - run_usage_meter.embed_s - run_usage_meter.merge_s)
        * 1000,
        merge_ms=run_usage_meter.merge_s * 1000,
    )
    used_model_by_role = {
        "embedder": embedder if run_usage_meter.counted_text_keys else None,
        "tokenizer": tools.tokenizer if run_usage_meter.has_counted_tokens else None,
    }
    splitter_and_model_misfits = LazyTuple(lambda: misfit_warnings(document, **used_model_by_role))
    return replace(chunking, timing=stage_durations, misfits=splitter_and_model_misfits, spending=run_usage_meter.spending)
