"""The columns of Compare fold into one text, whose gaps become known boundaries of the own text or the column “You”."""

import pytest

from chunkers import Document, Tools, load_tokenizer, run_chunker
from chunkers.methods.your_cuts import YourCuts
from tests.viz.app_steps import box_of, press, said, sent, settled, tell
from viz.state import session_file
from viz.state.choices import Choices, ColumnChoice
from viz.state.shown_text import TextWithDetails

TEXT = "# Herons\n\nA heron waits. It eats fish.\n\n# Looms\n\nThe loom has two beams. Its warp is wool."


def own(app):
    app.query_params["embedder"] = "tfidf"
    settled(app)
    box_of(app).set_value(TEXT).run()
    return settled(app)


def reader_of(app):
    return sent(app, "columns")


def mark(app, gaps, **changes):
    event = {"gaps": gaps, "purpose": "marks", "source": reader_of(app)["source"]} | changes
    tell(app, "reader", "mark", **event)
    return settled(app)


def test_marks_of_the_folded_text_are_the_own_text_s_boundaries(app):
    own(app)
    assert reader_of(app)["offers"] == {"marks": "", "cuts": ""}
    assert reader_of(app)["marking"] is None
    tell(app, "reader", "fold", purpose="marks")
    assert reader_of(app)["marking"]["folded"]
    assert reader_of(app)["marking"]["heard"] is None
    mark(app, [2])
    place = TEXT.index("# Looms")
    assert app.session_state["own"].known == (place,)
    assert reader_of(app)["marking"]["gaps"] == [2]
    assert reader_of(app)["marking"]["heard"] is not None
    assert reader_of(app)["known"] == [place]
    # What the tab keeps over a reload was sent with the boundary.
    assert any(f'"known": [{place}]'.encode() in part.proto.bytes for part in app.get("bidi_component"))
    mark(app, None)
    assert app.session_state["own"].known is None
    tell(app, "reader", "fold", purpose="")
    assert reader_of(app)["marking"] is None


def test_which_is_best_leads_to_the_marks_and_ranks_by_them(app):
    own(app)
    app.button_group(key="below").set_value("Which is best?").run()
    heads = [head["label"] for head in sent(app, "heads")["heads"]]
    assert "Points per cut" in heads
    press(app, "Mark boundaries")
    assert reader_of(app)["marking"]["purpose"] == "marks"
    mark(app, [2])
    heads = [head["label"] for head in sent(app, "heads")["heads"]]
    assert "Boundary F1" in heads
    assert all(button.label != "Mark boundaries" for button in app.button)


def test_a_sample_has_its_own_boundaries_which_no_event_changes(app):
    app.query_params["embedder"] = "tfidf"
    settled(app)
    known = reader_of(app)["known"]
    assert "marks" not in reader_of(app)["offers"]
    tell(app, "reader", "fold", purpose="marks")
    assert reader_of(app)["marking"] is None
    mark(app, [0])
    assert reader_of(app)["known"] == known
    assert app.session_state.get("own") is None


def test_another_text_is_not_folded(app):
    own(app)
    tell(app, "reader", "fold", purpose="marks")
    assert reader_of(app)["marking"] is not None
    box_of(app).set_value("Quite another text. It has two sentences.").run()
    settled(app)
    assert reader_of(app)["marking"] is None


def columns_of(app):
    return app.session_state["choices"]["compare"].columns


def cut(app, gaps):
    return mark(app, gaps, purpose="cuts")


def test_cuts_of_one_s_own_are_a_column_with_measures_and_verdicts(app):
    app.query_params.update({"embedder": "tfidf", "document": "three_topics", "c1": "fixed_sentences"})
    settled(app)
    tell(app, "reader", "fold", purpose="cuts")
    assert reader_of(app)["marking"] == {"purpose": "cuts", "folded": True, "gaps": [], "heard": None}
    assert [choice.chunker for choice in columns_of(app)] == ["fixed_sentences"]
    cut(app, [3])
    cut(app, [3, 8])
    column = reader_of(app)["columns"][1]
    assert (column["title"], column["subtitle"], column["message"]) == ("You", "2 cuts", "")
    assert "you cut here" in column["body"]
    assert ["chunks", "3", ""] in column["rows"]
    assert any(label == "against known" for label, _, _ in column["rows"])
    assert reader_of(app)["marking"]["gaps"] == [3, 8]
    assert app.query_params["c2"] == "your_cuts"
    # One undo takes back all clicks, however many.
    app.button(key="undo/compare").click().run()
    assert [choice.chunker for choice in columns_of(settled(app))] == ["fixed_sentences"]


def test_a_link_has_the_cuts_and_another_text_is_not_cut_by_them(app):
    own(app)
    cut(app, [2])
    link = dict(app.query_params)
    assert "Herons" not in str(link)
    assert "loom" not in str(link)
    app.query_params["document"] = "three_topics"
    tell(app, "document", "chosen", document="three_topics")
    settled(app)
    column = reader_of(app)["columns"][3]
    assert column["message"].startswith("Your cuts belong to another text")
    tell(app, "document", "chosen", document="own")
    settled(app)
    assert reader_of(app)["columns"][3]["subtitle"] == "1 cut"


def test_an_edit_of_the_own_text_moves_the_cuts(app):
    own(app)
    cut(app, [2])
    box_of(app).set_value(TEXT.replace("A heron", "One grey heron")).run()
    settled(app)
    assert reader_of(app)["columns"][3]["subtitle"] == "1 cut"
    tell(app, "reader", "fold", purpose="cuts")
    assert reader_of(app)["marking"]["gaps"] == [2]


def test_with_as_many_columns_as_there_can_be_the_offer_says_why_not(app):
    app.query_params.update({f"c{number}": "fixed_sentences" for number in range(1, 7)} | {"embedder": "tfidf"})
    settled(app)
    assert reader_of(app)["offers"]["cuts"] == "Compare already has 6 columns, the maximum; remove one first."
    tell(app, "reader", "fold", purpose="cuts")
    assert reader_of(app)["marking"] is None
    cut(app, [1])
    assert len(columns_of(app)) == 6


def test_a_session_s_file_brings_the_cuts_back(app):
    document = Document.from_text(TEXT, "regex", "notes")
    chunker = YourCuts.with_cuts_at(document.identity, [document.starts[2]])
    chunking = run_chunker(chunker, document, Tools(None, load_tokenizer("words")))
    choices = Choices("own", "regex", [ColumnChoice("your_cuts", {"cuts": chunker.cuts})], tokenizer="words")
    written = session_file.session_file_json(TextWithDetails(TEXT, "notes"), choices, [(chunker, chunking)], None)
    settled(app)
    box = next(uploader for uploader in app.get("file_uploader") if uploader.key == "file")
    box.upload("it.json", written.encode(), "application/json").run()
    settled(app)
    assert reader_of(app)["columns"][0]["subtitle"] == "1 cut"
    assert "notes was reopened with the same chunks in every column." in said(app)


@pytest.mark.parametrize(
    "view", ["Scores", "Which is best?", "Without labels", "Chunk sizes", "Every gap", "Code", "Downloads"]
)
def test_every_view_below_the_text_has_the_cuts_or_says_why_not(app, view):
    app.query_params.update({"embedder": "tfidf", "document": "three_topics", "c1": "fixed_sentences"})
    settled(app)
    cut(app, [3])
    app.button_group(key="below").set_value(view).run()
    assert not app.exception
