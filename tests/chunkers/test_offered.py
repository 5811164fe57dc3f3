"""Chunkers of other packages: the documented example is a chunker like any other, and no fault of one reaches further."""

import importlib
import json
import pickle
import textwrap

import pytest
from hypothesis import given

from chunkers import (
    ADAPTERS,
    CHUNKERS,
    MODEL_ASKING_CLASS_BY_NAME,
    Chunking,
    Document,
    InputError,
    Recipe,
    build_chunker,
    chunk,
    register,
    register_installed_chunkers,
)
from chunkers.commands.chunk_command import main
from chunkers.contract.base import run_and_time_chunker
from chunkers.recipes.chunker_registry import RETURN_TYPE_BY_HOOK
from evaluation.segmentation.worker_processes import run_in_processes
from tests.fixtures.chunker_packages import EXAMPLE, ONE_LINE, install
from tests.properties.promises import check_result
from tests.properties.texts import texts
from tests.support import HashEmbedder, tools

TEXT = "The tide comes in. Slowly. However, it goes out. It is low. Then it comes again."
WANTED = ("The tide comes in. Slowly.", "However, it goes out. It is low.", "Then it comes again.")
OWN = {*CHUNKERS}
NO_RESULT = "must return a result for this text;"
TAKEN = "every chunker must have a name of its own;"
BOUNDS = "signal_words: least must have a minimum and a maximum, declared with ge= and le=;"


def variant(before, after):
    """Return the example with one change."""
    assert before in EXAMPLE
    return EXAMPLE.replace(before, after)


def body(lines):
    """Return the example with another method, or with more of them."""
    return EXAMPLE[: EXAMPLE.index("    def chunk(")] + textwrap.indent(textwrap.dedent(lines), "    ")


def test_the_example_is_short_and_nobody_else_offers_anything_here():
    assert len(EXAMPLE.splitlines()) <= 30
    assert register_installed_chunkers() == ()
    assert {*CHUNKERS} == OWN


def test_the_example_is_a_chunker_in_python_recipes_and_on_the_command_line(offered, tmp_path, capsys):
    offered()
    made = chunk(TEXT, "signal_words", tokenizer="words")
    assert made.texts == WANTED
    assert [gap.verdict.is_cut for gap in made.gaps] == [False, True, False, True]
    assert made.recipe.versions["signal-words"] == "1.2"
    assert Recipe.from_json(made.recipe.to_json()).run(TEXT) == made
    assert pickle.loads(pickle.dumps(build_chunker("signal_words", {"least": 3}))).least == 3
    with pytest.raises(InputError, match=r"^signal_words: least must be at least 1; got 0\.$"):
        build_chunker("signal_words", {"least": 0})
    file = tmp_path / "tides.txt"
    file.write_text(TEXT, encoding="utf-8")
    assert main(["--list"]) == 0
    listed = json.loads(capsys.readouterr().out)["signal_words"]
    assert listed["parameters"]["least"] == {
        **{"type": "integer", "default": 2, "title": "Minimum sentences", "help": ""},
        **{"minimum": 1, "maximum": 100},
    }
    assert main([str(file), "--chunker", "signal_words:least=4", "--tokenizer", "words"]) == 0
    assert len(json.loads(capsys.readouterr().out)["chunks"]) == 2


def test_one_line_registers_a_class(offered, capsys):
    known = {"__name__": "signal_words"}
    exec(EXAMPLE, known)
    assert chunk(TEXT, known["SignalWords"]()).texts == WANTED
    exec(ONE_LINE, known)
    assert "However, three." in capsys.readouterr().out
    # The same class of a cell that is run again takes the place of the one before.
    exec(EXAMPLE, known)
    assert register(known["SignalWords"]) is CHUNKERS["signal_words"] is known["SignalWords"]
    assert chunk(TEXT, "signal_words").recipe.versions.keys() == {"seamark", "sentencex", "py3langid"}


def test_the_example_keeps_every_promise(offered):
    offered()
    chunker = build_chunker("signal_words", {"least": 1})

    @given(texts(8))
    def promises(text):
        check_result(run_and_time_chunker(chunker, Document.from_text(text, "regex"), tools()), chunker, tools())

    promises()


@pytest.mark.slow
def test_processes_that_have_not_looked_for_it_run_it(offered):
    offered(variant("gaps, begun = [], 0", "gaps, begun = [], 0; tools.embed(['a']); 1 / ('zero' not in document.text)"))
    document, failing = Document.from_text(TEXT, "regex"), Document.from_text("One. zero.", "regex")
    chunker = build_chunker("signal_words", {})

    def cut(source):
        return lambda given: run_and_time_chunker(chunker, source, given).texts

    assert [*run_in_processes([(document, [cut(document)])], tools(HashEmbedder()), 2)] == [WANTED]
    with pytest.raises(InputError, match=r"^signal_words, of the package signal-words, could not cut this text"):
        [*run_in_processes([(failing, [cut(failing)])], tools(HashEmbedder()), 2)]


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import nowhere_to_be_found", "ModuleNotFoundError: No module named 'nowhere_to_be_found'"),
        ("raise SystemExit('so\\nthere')", "SystemExit: so there"),
        ("SignalWords = 3", "a chunker must be a subclass of Chunker; got 3"),
        ("from seamark import Chunker as SignalWords", "Chunker must have the method chunk(document, tools); it has none"),
        (
            variant('"signal_words"', '"breakpoint"'),
            f"breakpoint: {TAKEN} Breakpoint already has this name. Choose another name",
        ),
        (
            variant('"signal_words"', '"Signal Words"'),
            "SignalWords: name must be 1 to 40 lower-case letters, digits and underscores, beginning with a letter; "
            "got 'Signal Words'",
        ),
        (variant('"Signal words"', '" "'), "signal_words: title must be a non-empty string; got ' '"),
        (
            variant(', "offered": [1, 20]', "").replace("ge=1, ", ""),
            f"{BOUNDS} one of them is missing",
        ),
        (
            variant("least: int = Field(2, ge=1, le=100,", "least: str = Field('2',"),
            "signal_words: least must be a number or a Literal; its type is string",
        ),
        (variant("Field(2, ge", "Field(ge"), "signal_words: least must have a default; it has none"),
    ],
    ids=["import", "exit", "no class", "abstract", "taken", "name", "title", "bounds", "type", "default"],
)
def test_an_offer_that_cannot_be_used_is_a_sentence_and_costs_nothing_else(offered, capsys, code, why):
    offered(code)
    sentence = f"The package signal-words offers the chunker 'signal_words', which cannot be used: {why}."
    assert register_installed_chunkers() == (sentence,)
    assert {*CHUNKERS} == OWN
    with pytest.raises(InputError) as caught:
        chunk(TEXT, "signal_words")
    assert str(caught.value) == sentence
    assert main(["--list"]) == 0
    captured = capsys.readouterr()
    assert captured.err == f"{sentence}\n"
    assert {*json.loads(captured.out)} == OWN | {*MODEL_ASKING_CLASS_BY_NAME, *ADAPTERS}
    assert chunk(TEXT, "fixed_sentences", size=5).texts == (TEXT,)


@pytest.mark.parametrize(
    ("method", "why"),
    [
        ("1 / 0", "could not cut this text; it failed with ZeroDivisionError: division by zero"),
        ("pass", f"{NO_RESULT} it returned None"),
        (
            "return Chunking(Document.from_text('x'), (), ())",
            f"{NO_RESULT} it returned a result for another",
        ),
        ("return Chunking(document, (Chunk((), ''),), ())", f"{NO_RESULT} the spans of chunk 1"),
        ("return Chunking(document, (Chunk((Span(0, 999),), ''),), ())", f"{NO_RESULT} the spans of"),
        ("return Chunking(document, (Chunk((Span(0, 3),), 'the'),), ())", f"{NO_RESULT} the text of"),
        (
            "return Chunking(document, (Chunk.of(document, Span(0, 3)),), ())",
            f"{NO_RESULT} it must have",
        ),
        (
            "return Chunking.from_gaps(document, [Gap(n, None, None, Verdict.KEPT, 'no reason') for n in range(4)])",
            f"{NO_RESULT} every gap must be a Gap with a Verdict and a Reason; one is not",
        ),
        (
            "made = [Gap(n, None, None, Verdict.KEPT, Reason()) for n in range(4)]\n"
            "return Chunking(document, (), [*made, Gap(1, None, None, Verdict.CUT, Reason(), 22)])",
            f"{NO_RESULT} its gaps must be in order, and an offset inside its sentence; they are not",
        ),
    ],
    ids=["error", "nothing", "other", "empty", "outside", "text", "gaps", "reason", "order"],
)
def test_what_goes_wrong_in_a_run_is_a_sentence_of_its_column(offered, method, why):
    code = body(f"def chunk(self, document, tools):\n{textwrap.indent(method, '    ')}\n")
    offered("from seamark import Chunk, Document, Span\n" + code)
    with pytest.raises(InputError, match=f"^signal_words, of the package signal-words, {why.replace('(', '[(]')}"):
        chunk(TEXT, "signal_words")


def test_a_hook_that_fails_or_returns_nonsense_is_as_if_it_were_not_there(offered):
    hooks = "".join(f"    def {name}(self, *given):\n        raise KeyError(given)\n" for name in RETURN_TYPE_BY_HOOK)
    hooks += (
        "    @classmethod\n    def fields(cls, values=None):\n        return 1 / bool(values is None) and super().fields()\n"
    )
    offered(EXAMPLE + hooks.replace("raise KeyError(given)", "return 7", 2))
    chunker, usual = build_chunker("signal_words", {}), build_chunker("fixed_words", {})
    made = chunk(TEXT, chunker)
    assert made.texts == WANTED
    assert chunker.describe() == "minimum sentences 2"
    assert chunker.levels("least", [1, 2], []) == [1.0, 2.0]
    assert chunker.remark("least") == ""
    assert chunker.idle() == frozenset()
    assert chunker.reach() is usual.reach() is None
    assert chunker.tipping(made, made.gaps[0], tools()) is None
    assert [spec.name for spec in chunker.fields({"least": 3})] == ["least"]


def test_two_packages_that_offer_one_name_are_told_apart(offered, tmp_path):
    install(tmp_path / "offered", name="another", module="other_words", offers="other = other_words:SignalWords")
    offered()
    (sentence,) = register_installed_chunkers()
    assert sentence.endswith(f"signal_words: {TAKEN} Signal words already has this name. Choose another name.")
    assert isinstance(chunk(TEXT, "signal_words"), Chunking)
    assert importlib.import_module("signal_words").SignalWords.__name__ == "SignalWords"
