"""A server program that others wrote, with tiny models made here: what our client says is what it understands, and back."""

import os
import re
import subprocess
import sys
import threading
import time

import pytest

from chunkers import Cancelled, Document, Tools, build_chunker, load_tokenizer
from chunkers import run_chunker as run_chunker
from chunkers.language_models.answer_cache import AnswerCache
from chunkers.language_models.answer_schemas_and_parsers import AnswerKind
from chunkers.language_models.asking_until_usable import MOST_ANSWER_RETRIES
from chunkers.language_models.base import Message, Reply
from chunkers.language_models.chat_server import ChatServer
from chunkers.language_models.requests_within_spending_limit import Asking
from chunkers.language_models.spending import Ledger, Spending

pytestmark = [pytest.mark.slow, pytest.mark.full]

LIMIT = 120.0
"""Seconds that a start, or an end, may take on a busy machine."""

HELLO = (Message("system", "Be brief."), Message("user", "Ebbe und Flut, 潮."))
PARAGRAPHS = (
    "The tide comes in at noon.",
    "Then the harbour fills with boats.",
    "A lemon is a sour fruit.",
    "A lime is as sour as that.",
)
ANSWER = "split_after: 2"

_TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
_MARKS = ("<|system|>", "<|user|>", "<|assistant|>", "<|end|>")


def write_model(folder, answer="", ends=()):
    """Write a model of the form of Llama's, with a tokenizer of single bytes.

    Its weights are random, and it ends at any of the tokens ``ends``; or they are such that all it says is ``answer``.
    """
    import torch
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    bytes_alone = Tokenizer(models.BPE({letter: number for number, letter in enumerate(letters)}, []))
    bytes_alone.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_alone.decoder = decoders.ByteLevel()
    bytes_alone.add_special_tokens([*_MARKS])
    if answer:
        bytes_alone.add_tokens([AddedToken(answer, normalized=False)])
    tokens = PreTrainedTokenizerFast(tokenizer_object=bytes_alone, eos_token="<|end|>", chat_template=_TEMPLATE)
    size = len(tokens) if answer else 8
    heads = {"num_attention_heads": 1, "num_key_value_heads": 1, "head_dim": 8}
    torch.manual_seed(2)
    model = LlamaForCausalLM(
        LlamaConfig(vocab_size=len(tokens), hidden_size=size, intermediate_size=8, num_hidden_layers=1, **heads)
    )
    if answer:
        # The layer adds nothing; so the last token alone decides on the next.
        asked, answered, end = tokens.convert_tokens_to_ids(["<|assistant|>", answer, "<|end|>"])
        with torch.no_grad():
            for weights in (model.model.layers[0].self_attn.o_proj, model.model.layers[0].mlp.down_proj, model.lm_head):
                weights.weight.zero_()
            model.model.embed_tokens.weight.copy_(torch.eye(size))
            model.lm_head.weight[answered, asked] = model.lm_head.weight[end, answered] = 1
        ends = (end,)
    model.generation_config = GenerationConfig(eos_token_id=[*ends] or None)
    model.save_pretrained(folder)
    tokens.save_pretrained(folder)


class TransformersServe:
    """``transformers serve``, which loads the model of a folder when it is first asked for it."""

    def __init__(self, folder):
        self.folder = folder
        self._log = folder / "log.txt"
        command = [sys.executable, "-m", "transformers.cli.transformers", "serve", "--device", "cpu"]
        environment = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_UPDATE_CHECK": "1", "HF_HOME": str(folder)}
        with self._log.open("w") as written:
            self._process = subprocess.Popen(
                [*command, "--host", "127.0.0.1", "--port", "0"],
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=subprocess.STDOUT,
                env={**os.environ, **environment, "PYTHONUNBUFFERED": "1", "OMP_NUM_THREADS": "1"},
            )

    @property
    def said(self):
        return self._log.read_text(errors="replace")

    @property
    def asked(self):
        """Number of questions that the server has begun to answer."""
        return self.said.count("[Request received]")

    def wait(self):
        """Wait until it answers; its log says at which port."""
        until = time.monotonic() + LIMIT
        while not (match := re.search(r"running on (http://127\.0\.0\.1:\d+)", self.said)):
            assert self._process.poll() is None, self.said
            assert time.monotonic() < until, self.said
            time.sleep(0.05)
        self.address = f"{match[1]}/v1"

    def asking(self, model, answers=None):
        named = ChatServer(f"openai:{self.folder / model}", self.address)
        return Asking(named, AnswerCache() if answers is None else answers)

    def stop(self):
        # It would first finish what nobody waits for any more.
        self._process.kill()
        self._process.wait()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    server = TransformersServe(tmp_path_factory.mktemp("served"))
    try:
        # It takes as long to start as these take to be written.
        write_model(server.folder / "random")
        write_model(server.folder / "brief", ends=range(200))
        write_model(server.folder / "wise", ANSWER)
        server.wait()
        yield server
    finally:
        server.stop()


def cut(asked):
    bench = Tools(None, load_tokenizer("words"), asking=asked)
    chunker = build_chunker("llm", {"piece_size": 8, "window": 100})
    return run_chunker(chunker, Document.from_text("\n\n".join(PARAGRAPHS), "paragraphs"), bench)


def test_it_answers_and_counts_the_tokens_and_is_not_asked_the_same_again(served):
    answers, ledger = AnswerCache(), Ledger()
    asker = served.asking("random", answers)
    reply = asker.ask(HELLO, ledger=ledger, answer_kind=AnswerKind(12))
    # A byte is a token, and so is each of the three marks.
    read = len("".join(message.text for message in HELLO).encode()) + 3
    assert reply == Reply(reply.text, read, 12, "cut")
    assert reply.text
    assert ledger.spent == Spending(1, 0, read, 12, 0, None)
    before = served.asked
    assert served.asking("random", answers).ask(HELLO, ledger=ledger, answer_kind=AnswerKind(12)) == reply
    assert served.asked == before
    assert ledger.spent == Spending(1, 1, read, 12, 0, None)


def test_a_text_is_cut_where_its_model_says(served):
    made = cut(served.asking("wise"))
    assert [text.split("\n\n") for text in made.texts] == [[*PARAGRAPHS[:2]], [*PARAGRAPHS[2:]]]
    assert str(made.gaps[1].reason) == "the model cuts after piece 2 (window of pieces 1 to 4)"
    assert made.notes == ()


def test_a_text_stays_whole_where_its_model_says_nothing_of_use_and_the_reason_tells(served):
    asker = served.asking("brief")
    made = cut(asker)
    assert made.texts == ("\n\n".join(PARAGRAPHS),)
    reason = (
        "no usable answer in 3 attempts (the answer must have a line that begins with 'split_after:'; it has none); "
        "window of pieces 1 to 4"
    )
    assert {str(gap.reason) for gap in made.gaps} == {f"{reason}, which stays whole"}
    assert "no usable answer about 1 of 1 window" in made.notes[0]
    # One more finds out what the server does with a schema.
    assert (asker.structured, asker.spent.requests) == ("ignored", MOST_ANSWER_RETRIES + 2)


def test_nobody_waits_for_its_answer_once_the_user_has_stopped(served):
    asker, stopped, outcome = served.asking("random"), threading.Event(), []

    def ask():
        try:
            asker.ask(HELLO, stopped.is_set, answer_kind=AnswerKind(100_000))
        except Cancelled as error:
            outcome.append(error)

    waiting, before = threading.Thread(target=ask), served.asked
    waiting.start()
    while served.asked == before:
        time.sleep(0.05)
    stopped.set()
    # The answer takes minutes.
    waiting.join(10)
    assert len(outcome) == 1
    assert asker.spent.unsure > 100_000
