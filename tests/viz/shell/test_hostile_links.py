"""Links, files and names made to do harm: nothing is imported, opened or rendered, and no page ends in an error."""

import sys
from importlib.metadata import entry_points

import pytest
import spacy
from streamlit.testing.v1 import AppTest

from chunkers import InputError
from chunkers.text.sentences import _load_sentence_pipeline, load_named_spacy_pipeline
from tests import ROOT
from tests.lanes import mostly_full
from tests.support import LIMIT
from tests.viz.app_steps import said
from viz.jobs import shared_resources
from viz.shell.navigation import PAGES
from viz.state.shown_text import TextWithDetails

pytestmark = pytest.mark.page

LONG = "9" * 5_000
IMAGE = "![](http://127.0.0.1:9/x.png)"
LINKS = [
    {
        "selected": LONG,
        "step": LONG,
        "c1": "breakpoint",
        "c1.amount": LONG,
        "embedder": "x" * 100_000,
        "sentences": "x" * 900,
    },
    {"step": "-1", "c1": "breakpoint", "c1.amount": "[" * 1_500, "embedder": IMAGE, "sentences": "spacy:" + "../" * 600},
    {"c1": "x" * 100_000, "c" * 5_000: "x" * 100_000, "document": IMAGE, "sentences": "x" * 100_000, "tokenizer": IMAGE},
]


def opened(page, **query):
    app = AppTest.from_file(ROOT / "app.py", default_timeout=LIMIT)
    app.query_params["embedder"] = "tfidf"
    for name, value in query.items():
        app.query_params[name] = value
    app.switch_page(PAGES[page].file)
    return app.run()


@pytest.mark.parametrize("page", mostly_full(PAGES, {"compare", "failures", "tune"}))
@pytest.mark.parametrize("link", LINKS, ids=["long", "deep", "wide"])
def test_no_link_ends_in_an_error_or_a_long_complaint(page, link):
    app = opened(page, **link)
    assert not app.exception
    assert all(len(sentence) < 1_000 for sentence in said(app))


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install a package for the length of a test; return a function that does so."""
    monkeypatch.syspath_prepend(tmp_path)
    _load_sentence_pipeline.cache_clear()
    shared_resources._cached_split_document.cache_clear()

    def install(name, *, pipeline):
        nlp = spacy.blank("en")
        nlp.add_pipe("sentencizer")
        (tmp_path / name).mkdir()
        nlp.to_disk(tmp_path / name / "data")
        (tmp_path / name / "__init__.py").write_text(
            "from pathlib import Path\n\nimport spacy\n\n\n"
            "def load(**options):\n    return spacy.load(Path(__file__).parent / 'data', **options)\n"
        )
        about = tmp_path / f"{name}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        if pipeline:
            (about / "entry_points.txt").write_text(f"[spacy_models]\n{name} = {name}\n")

    yield install
    for name in ("xx_seamark_pipeline", "xx_seamark_package"):
        sys.modules.pop(name, None)


def test_only_packages_that_declare_a_pipeline_are_imported(package):
    package("xx_seamark_pipeline", pipeline=True)
    package("xx_seamark_package", pipeline=False)
    assert "xx_seamark_pipeline" in entry_points(group="spacy_models").names
    assert load_named_spacy_pipeline("xx_seamark_pipeline", "sentences").pipe_names == ["sentencizer"]
    with pytest.raises(
        InputError, match="must be a spaCy pipeline; the installed package of this name contains no pipeline"
    ):
        load_named_spacy_pipeline("xx_seamark_package", "sentences")
    assert "xx_seamark_package" not in sys.modules


@pytest.mark.parametrize("name", ["blank:os", "blank:../../x", "os", "nul\0byte", "/dev/null", "x" * 5_000, ""])
def test_what_is_no_pipeline_is_refused_in_a_sentence(name):
    with pytest.raises(InputError, match="spaCy pipeline"):
        load_named_spacy_pipeline(name, "sentences")


@pytest.mark.parametrize("page", mostly_full(PAGES, {"compare", "tune"}))
def test_a_pipeline_that_a_link_names_waits_for_a_click(package, page):
    package("xx_seamark_pipeline", pipeline=True)
    app = opened(page, sentences="spacy:xx_seamark_pipeline")
    assert any("The pipeline is neither read nor run until you press" in sentence for sentence in said(app))
    assert "xx_seamark_pipeline" not in sys.modules
    app.button(key="offer/Use this splitter").click().run()
    assert not app.exception
    assert not any("until you press" in sentence for sentence in said(app))
    assert ("xx_seamark_pipeline" in sys.modules) == (page not in ("tune", "retrieval"))


MARKDOWN = "![](http://127.0.0.1:9/x.png) $x$ **b** [a](http://x) :red[r] <b>h</b>"


@pytest.mark.parametrize("page", mostly_full(PAGES, {"compare", "failures", "tune"}))
def test_a_texts_name_is_never_markdown(app, page):
    app.query_params["embedder"] = "tfidf"
    app.switch_page(PAGES[page].file)
    app.run()
    app.session_state["own"] = TextWithDetails("One is here. Two is there. Three is gone.", MARKDOWN)
    choices = app.session_state["choices"][page]
    choices.document, choices.embedder = "own", MARKDOWN
    app.session_state["given_consents"] = {("embedder", MARKDOWN)}
    app.run()
    assert not app.exception
    rendered = [*app.markdown, *app.caption, *app.title, *app.header, *app.subheader]
    assert not any("127.0.0.1:9/" in part.value for part in rendered)
    assert not any("127.0.0.1" in part.label for part in [*app.button, *app.toggle, *app.checkbox, *app.radio])
