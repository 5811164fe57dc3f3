"""The device for torch: choosing it, the message if it is missing, and moving the whole model to it."""

import subprocess
import sys

import numpy as np
import pytest

from chunkers import InputError, ModelError, load_embedder
from chunkers.commands.chunk_command import main as chunkers_main
from chunkers.embedders import sentence_models
from chunkers.embedders import sentence_models as device
from chunkers.embedders.sentence_models import (
    DEVICE_DESCRIPTIONS,
    MiniLM,
    add_device_to_revision,
    device_before_importing_torch,
    find_device,
)
from chunkers.support import optional_packages
from chunkers.text.bundled_model import checked_model_folder
from evaluation.command_line import main as evaluation_main
from tests import ROOT
from tests.lanes import mostly_full

CUT = [str(ROOT / "sample_docs" / "stubs.txt"), "--tokenizer", "words", "--chunker"]


@pytest.fixture
def there(monkeypatch):
    """Let torch find these devices besides the processor, and this machine have them."""
    import torch

    def find(*names):
        monkeypatch.setattr(device, "_may_have_accelerator", lambda: bool(names))
        monkeypatch.setattr(torch.cuda, "is_available", lambda: "cuda" in names)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: "mps" in names)

    return find


@pytest.mark.model
@pytest.mark.parametrize(
    ("names", "chosen"), [([], "cpu"), (["cuda"], "cuda"), (["mps"], "mps"), (["cuda", "mps"], "cuda")], ids=str
)
def test_a_device_is_used_when_there_is_one(names, chosen, there):
    there(*names)
    assert find_device("auto") == chosen
    for asked in ("cpu", *names):
        assert find_device(asked) == asked
    for asked in {"cuda", "mps"} - set(names):
        with pytest.raises(
            ModelError,
            match=rf"^device must be one of auto, .*cpu, because torch finds no other device on this machine; got {asked}",
        ):
            find_device(asked)


def test_a_machine_without_another_device_is_told_without_torch(monkeypatch):
    monkeypatch.setattr(device, "_may_have_accelerator", lambda: False)
    monkeypatch.setattr(device, "import_torch_with_sleeping_threads", lambda: pytest.fail("torch was imported"))
    assert find_device("auto") == find_device("cpu") == "cpu"
    monkeypatch.setattr(device, "_may_have_accelerator", lambda: True)
    assert (
        device_before_importing_torch("auto"),
        device_before_importing_torch("cpu"),
        device_before_importing_torch("cuda"),
    ) == ("", "cpu", "")


@pytest.mark.parametrize(
    ("system", "machine", "nodes", "may"),
    [
        ("linux", "x86_64", [], False),
        ("linux", "x86_64", ["null", "nvme0", "dri"], False),
        ("linux", "x86_64", ["nvidia0", "nvidiactl"], True),
        ("linux", "aarch64", ["nvmap"], True),
        ("linux", "x86_64", ["dxg"], True),
        ("darwin", "arm64", [], True),
        ("darwin", "x86_64", [], False),
        ("win32", "AMD64", [], True),
    ],
)
def test_what_a_machine_may_have_is_never_denied(system, machine, nodes, may, monkeypatch, tmp_path):
    for name in nodes:
        (tmp_path / name).touch()
    monkeypatch.setattr(device, "Path", lambda _: tmp_path)
    monkeypatch.setattr(device.sys, "platform", system)
    monkeypatch.setattr(device.platform, "machine", lambda: machine)
    assert device._may_have_accelerator() == may


@pytest.mark.parametrize("name", [MiniLM.name, "static", "some/model"])
def test_a_name_of_no_device_is_refused_before_anything_is_loaded(name):
    with pytest.raises(InputError, match=r"^device must be one of auto, cpu, cuda, mps; got 'gpu'\.$"):
        load_embedder(name, "gpu")


@pytest.mark.parametrize("name", ["tfidf", "spacy:en_core_web_md", "openai:test"])
def test_what_torch_does_not_run_has_no_device(name):
    assert load_embedder(name, "cpu").device == load_embedder(name).device == ""
    with pytest.raises(
        InputError, match=f"^device must be auto or cpu for {name}, which supports no other device; got cuda"
    ):
        load_embedder(name, "cuda")


@pytest.mark.model
def test_a_device_that_is_not_there_is_a_sentence_on_every_command_line(there, capsys, tmp_path):
    there()
    message = "device must be one of auto, cpu, because torch finds no other device on this machine; got cuda."
    sweep = ["sweep", "--sample", "stubs", "--tokenizer", "words", "--chunker", "breakpoint", "--grid", "amount=80"]
    agreement = ["agreement", CUT[0], "--tokenizer", "words", "--embedder", MiniLM.name, "--with", MiniLM.name]
    (tmp_path / "q.csv").write_text("question,excerpt,document\nwhat?,bread,stubs.txt\n")
    for main, call in ((chunkers_main, [*CUT, "breakpoint"]), (evaluation_main, sweep), (evaluation_main, agreement)):
        assert main([*call, "--device", "cuda"]) == 2
        assert capsys.readouterr().err.endswith(message + "\n")
        assert main([*call, "--device", "gpu"]) == 2
        assert "device must be one of auto, cpu, cuda, mps; got 'gpu'." in capsys.readouterr().err
    # A chunker that embeds nothing needs none.
    assert chunkers_main([*CUT, "fixed_words", "--device", "cuda"]) == 0


class OnDevice:
    """Stands for a model of sentence-transformers on a device that this machine lacks."""

    max_seq_length = 256

    def encode(self, texts, **others):
        return np.eye(4, dtype=np.float32)[: len(texts)]


@pytest.mark.model
@pytest.mark.parametrize("name", ["cuda", "mps"])
def test_on_another_device_sentence_transformers_runs_the_bundled_model(name, there, monkeypatch):
    there(name)
    asked = []

    def load(folder, device, **others):
        asked.append((folder, device))
        return OnDevice()

    monkeypatch.setattr(sentence_models, "_sentence_transformer", load)
    auto, cpu = MiniLM(), MiniLM("cpu")
    # As long as nobody knows the device, nobody else shares the vectors.
    assert (auto.device, auto.revision, cpu.device) == ("", "", "cpu")
    assert auto.identity != cpu.identity
    assert auto.encode(["a", "b"]).shape == (2, 4)
    assert asked == [(str(checked_model_folder()), name)]
    assert (auto.device, auto.engine, auto.max_tokens) == (name, "sentence-transformers", 256)
    assert auto.revision == add_device_to_revision(cpu.revision, name) != cpu.revision
    cpu.ensure_loaded()
    assert (cpu.engine, cpu.revision) == ("NumPy", MiniLM("cpu").revision)


@pytest.mark.model
def test_with_a_broken_torch_auto_is_the_processor_and_a_device_is_a_sentence(monkeypatch):
    def broken():
        raise ImportError("libc10.so is missing")

    monkeypatch.setattr(device, "_may_have_accelerator", lambda: True)
    monkeypatch.setattr(device, "import_torch_with_sleeping_threads", broken)
    assert find_device("auto") == "cpu"
    with pytest.raises(ModelError, match=r"^The device cuda needs the package torch, which cannot be imported \(libc10"):
        find_device("cuda")


@pytest.mark.model
@pytest.mark.parametrize("missing", ["torch", "sentence_transformers"])
def test_without_torch_auto_is_the_processor_and_a_device_is_a_sentence(missing, monkeypatch):
    monkeypatch.setattr(device, "_may_have_accelerator", lambda: True)
    monkeypatch.setattr(optional_packages, "find_spec", lambda module: None if module == missing else module)
    assert device_before_importing_torch("auto") == find_device("auto") == "cpu"
    sentence = (
        rf"^The device cuda needs the package {missing}; to install what is missing: pip install 'seamark\[models\]'\.$"
    )
    with pytest.raises(ModelError, match=sentence):
        find_device("cuda")
    # The bundled model needs neither.
    assert MiniLM().encode(["a"]).shape == (1, 384)


@pytest.mark.model
@pytest.mark.parametrize("when", ["loading", "encoding"])
def test_what_fails_on_a_device_is_a_sentence_that_names_it(when, there, monkeypatch):
    there("cuda")

    def full(*arguments, **others):
        raise RuntimeError("CUDA out of memory.\nTried to allocate 2 GiB.")

    monkeypatch.setattr(
        sentence_models, "_sentence_transformer", full if when == "loading" else lambda *_, **others: OnDevice()
    )
    monkeypatch.setattr(OnDevice, "encode", full)
    with pytest.raises(ModelError, match=r"the model failed on the CUDA device with a RuntimeError\. .*--device cpu"):
        MiniLM().encode(["a"])


@pytest.mark.model
@pytest.mark.parametrize("asked", ["auto", "cpu", "mps"])
def test_a_model_of_sentence_transformers_is_loaded_on_the_device(asked, there, monkeypatch, tmp_path):
    there("mps")
    devices = []

    def load(name, device, **others):
        devices.append(device)
        return OnDevice()

    monkeypatch.setattr(sentence_models, "_sentence_transformer", load)
    embedder = sentence_models.FolderModel(str(tmp_path), asked)
    assert embedder.encode(["a", "b"]).shape == (2, 4)
    wanted = {"auto": "mps", "cpu": "cpu", "mps": "mps"}[asked]
    assert (devices, embedder.device) == ([wanted], wanted)
    assert embedder.revision == sentence_models.model_folder_hash(tmp_path) + ("/mps" if wanted == "mps" else "")


@pytest.mark.parametrize("device", mostly_full(DEVICE_DESCRIPTIONS, {"auto"}))
def test_choosing_an_embedder_imports_no_torch(device):
    code = (
        "import sys; from chunkers import EMBEDDER_DESCRIPTIONS, load_embedder;"
        f"[load_embedder(name, {device!r}) for name in (*EMBEDDER_DESCRIPTIONS, 'some/model') if name != 'tfidf'];"
        "print('torch' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert run.stdout == "False\n"
