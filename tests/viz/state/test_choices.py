"""The user's choices survive the round trip through a link."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chunkers import EMBEDDER_DESCRIPTIONS, SPLITTER_DESCRIPTIONS, TOKENIZER_DESCRIPTIONS, ParameterError, build_chunker
from chunkers.recipes.chunker_registry import ADAPTERS, CHUNKERS, chunker_class
from sample_docs import sample_splitters
from viz.state.choices import (
    MOST_COLUMNS,
    Choices,
    ColumnChoice,
    choices_from_query,
    choices_to_query,
    link_parameters_of_chunker,
    new_default_column,
    outdated_link_column_numbers,
)

COLUMNS = [new_default_column(chunker) for chunker in ("fixed_sentences", "breakpoint", "double_pass")]
DEFAULT = Choices(*next(iter(sample_splitters().items())), COLUMNS, selected=1)


def values(spec):
    """Return values that a widget of this declaration may give."""
    low, high = spec.low if spec.low is not None else -1e6, spec.high if spec.high is not None else 1e6
    if spec.kind == "choice":
        some = st.sampled_from(spec.choices)
    elif spec.kind == "integer":
        some = st.integers(int(low), int(high))
    elif spec.kind == "boolean":
        some = st.booleans()
    elif spec.kind == "number":
        some = st.floats(low, high, allow_nan=False)
    else:
        raise AssertionError(f"a declaration of a kind unknown here: {spec}")
    return st.none() | some if spec.optional else some


@st.composite
def columns(draw):
    name = draw(st.sampled_from([*CHUNKERS, *ADAPTERS]))
    kind = (CHUNKERS | ADAPTERS)[name]
    given = {}
    for spec in kind.fields():
        if draw(st.booleans()):
            given[spec.name] = draw(values(next(field for field in kind.fields(given) if field.name == spec.name)))
    try:
        build_chunker(name, given)
    except ParameterError:
        assume(False)
    return ColumnChoice(name, given)


@st.composite
def choices(draw):
    chosen = draw(st.just(DEFAULT.columns) | st.lists(columns(), min_size=1, max_size=MOST_COLUMNS))
    return Choices(
        document=draw(st.sampled_from([*sample_splitters()])),
        sentences=draw(st.sampled_from([*SPLITTER_DESCRIPTIONS, "spacy:some_pipeline", "sentencex:de"])),
        columns=chosen,
        embedder=draw(st.sampled_from([*EMBEDDER_DESCRIPTIONS, "maker/model", "openai:a model"])),
        tokenizer=draw(st.sampled_from([*TOKENIZER_DESCRIPTIONS])),
        selected=draw(st.integers(0, len(chosen) - 1)),
    )


@pytest.mark.slow
@given(choices())
def test_a_link_brings_every_choice_back(chosen):
    back, complaints = choices_from_query(choices_to_query(chosen, DEFAULT), sample_splitters(), DEFAULT)
    assert complaints == []
    if chosen.columns != DEFAULT.columns:
        # Of a parameter that older links lack, a link says the default too.
        for column in chosen.columns:
            kind = chunker_class(column.chunker)
            column.parameters = {**{name: kind.model_fields[name].default for name in kind.older}, **column.parameters}
    assert back == chosen


def test_a_link_without_a_parameter_that_was_added_later_means_what_it_meant():
    query = {"c1": "change_point", "c1.caution": "eager", "c2": "recursive", "c3": "change_point", "c3.cuts_at": "auto"}
    back, complaints = choices_from_query(query, sample_splitters(), DEFAULT)
    assert complaints == []
    assert back.columns[0].parameters == {"cuts_at": "sentences", "caution": "eager"}
    assert back.columns[1:] == [ColumnChoice("recursive"), ColumnChoice("change_point", {"cuts_at": "auto"})]
    assert outdated_link_column_numbers(query) == [1]
    assert choices_to_query(back, DEFAULT)["c1.cuts_at"] == "sentences"


@pytest.mark.parametrize("name", CHUNKERS)
def test_a_link_to_a_chunker_has_its_defaults(name):
    query = link_parameters_of_chunker(name)
    back, _ = choices_from_query(query, sample_splitters(), DEFAULT)
    assert build_chunker(name, back.columns[0].parameters) == build_chunker(name, {})
    assert outdated_link_column_numbers(query) == []


def test_the_first_screen_has_an_empty_link():
    assert choices_to_query(DEFAULT, DEFAULT) == {}
    assert choices_from_query({}, sample_splitters(), DEFAULT) == (DEFAULT, [])


def test_what_a_link_gets_wrong_is_said_and_left_at_its_default():
    query = {"document": "nothing", "c1": "nobody", "c2": "recursive", "c2.size": "0", "selected": "7", "embedder": " "}
    back, complaints = choices_from_query(query, sample_splitters(), DEFAULT)
    assert back == Choices(DEFAULT.document, DEFAULT.sentences, [ColumnChoice("recursive")], selected=0)
    rules = ["document must be one of", "c1 must be one of", "size must be at least 1; got 0", "from 1 to 1; got '7'"]
    assert all(any(rule in complaint for complaint in complaints) for rule in rules)
    assert len(complaints) == len(rules) + 1


@given(st.dictionaries(st.sampled_from(["document", "sentences", "c1", "c1.size", "c2.amount", "selected"]), st.text()))
def test_any_link_gives_choices(query):
    back, _ = choices_from_query(query, sample_splitters(), DEFAULT)
    assert 0 <= back.selected < len(back.columns)


@pytest.mark.parametrize(("name", "value"), [("size", 200.0), ("amount", 70.0), ("max_size", 0.5)])
def test_a_column_takes_no_parameter_that_its_chunker_lacks_and_no_number_outside_its_bounds(name, value):
    column = ColumnChoice("structure")
    column.set_valid_parameter(name, value)
    assert column.parameters == {}


def test_a_column_takes_the_parameters_of_its_chunker():
    column = ColumnChoice("breakpoint")
    for name, value in {"amount": 80.0, "max_size": None, "threshold": "distance"}.items():
        column.set_valid_parameter(name, value)
    assert column.parameters == {"amount": 80.0, "max_size": None, "threshold": "distance"}
    column.set_valid_parameter("amount", 0.3)
    assert column.parameters["amount"] == 0.3
