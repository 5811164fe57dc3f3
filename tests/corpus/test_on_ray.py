"""A run on a Ray of this machine gives the files of a run without it; skipped where Ray is not installed."""

import os
import sys
from importlib.util import find_spec

import pytest

from chunkers import ModelError
from corpus.command_line import main
from corpus.run import ray_engine
from tests.corpus.test_page import rows, snippet
from tests.corpus.test_run import corpus, parts, run, stopping

__all__ = ["corpus"]


@pytest.fixture(scope="module")
def ray():
    """Give a Ray of this machine with two processors."""
    if find_spec("ray") is None:
        pytest.skip("Ray comes with requirements-full.txt")
    engine = ray_engine()
    import ray

    ray.init(num_cpus=2, include_dashboard=False, logging_level="error", log_to_driver=False)
    yield engine
    ray.shutdown()


@pytest.mark.full
def test_it_goes_on_with_what_a_run_without_it_began_and_the_files_are_the_same(corpus, tmp_path, ray, monkeypatch):
    assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
    (corpus / "broken.pdf").write_bytes(b"%PDF-1.7")
    whole, _ = run(corpus, tmp_path / "here")
    with pytest.raises(KeyboardInterrupt):
        run(corpus, tmp_path / "out", stopping(2))
    # Given to it in several lots.
    monkeypatch.setattr("corpus.run.MOST_RAY_RUN_SHARDS", len(parts(tmp_path / "here")) // 2)
    resumed, _ = run(corpus, tmp_path / "out", ray, workers=2)
    assert parts(tmp_path / "out") == parts(tmp_path / "here")
    assert resumed.tally == whole.tally
    assert resumed.tally.problems == 1
    assert 0 < resumed.since_start.documents < whole.tally.documents


@pytest.mark.full
@pytest.mark.slow
def test_the_snippet_of_the_page(tmp_path, ray):
    assert rows(snippet("Ray Data", tmp_path)["cut"].take_all()) == ["One.", "Two.", "Three.", "Four."]


def test_without_ray_there_is_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setitem(sys.modules, "ray.data", None)
    with pytest.raises(ModelError, match=r"--engine ray needs the package ray, which cannot be imported .* 'ray\[data\]"):
        ray_engine()


@pytest.mark.slow
def test_an_address_needs_the_engine(corpus, tmp_path, capsys):
    assert main([str(corpus), "--chunker", "r", "--output", str(tmp_path / "out"), "--ray-address", "auto"]) == 2
    assert capsys.readouterr().err.startswith("--ray-address needs --engine ray; the engine is local. ")
