"""The columns of Compare fold into one text, whose gaps become the known boundaries of the user's own text."""

from tests.viz.app_steps import box_of, press, sent, settled, tell

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
    assert reader_of(app)["offers"] == {"marks": ""}
    assert reader_of(app)["marking"] is None
    tell(app, "reader", "fold", purpose="marks")
    assert reader_of(app)["marking"]["folded"]
    mark(app, [2])
    place = TEXT.index("# Looms")
    assert app.session_state["own"].known == (place,)
    assert reader_of(app)["marking"]["gaps"] == [2]
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
