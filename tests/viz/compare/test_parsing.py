"""The view of a file as it was read, page by page, with the parts left out."""

from chunkers.text.extracted_text import Omission, TextParts
from tests.chunkers.text.test_parts import CHAPTERS, book, pdf
from tests.viz.app_steps import remarks, settled
from viz.compare.extracted_and_omitted_text import LONGEST_EXTRACTED_PASSAGE, build_omission_table, page_stretches
from viz.state.own_text import with_headers_or_footers_reinserted
from viz.state.shown_text import TextWithDetails

PAGES = [[f"Words of page {'abcdefghij'[n]} begin here.", f"And they end {'x' * (n + 1)}."] for n in range(10)]


def parsed(app, name, data):
    app.query_params.update({"embedder": "tfidf", "chunker": "fixed_sentences"})
    settled(app)
    next(uploader for uploader in app.get("file_uploader") if uploader.key == "file").upload(
        name, data, "application/pdf"
    ).run()
    settled(app)
    app.segmented_control(key="below").set_value("Parsing").run()
    return app


def test_the_pages_of_a_pdf_are_shown_with_what_was_left_out_of_each(app):
    parsed(app, "marks.pdf", pdf(PAGES, header="Sea <b>marks</b>", footer="{n}"))
    table = app.dataframe[0].value
    assert table.to_dict("records") == [
        {"left out": "page number", "times": 10, "pages": "1–10", "for example": "1"},
        {"left out": "repeated header", "times": 9, "pages": "2–10", "for example": "Sea <b>marks</b>"},
    ]
    assert app.code[0].value == f"Sea <b>marks</b>\n{PAGES[0][0]}\n{PAGES[0][1]}"
    app.number_input[0].set_value(7).run()
    assert app.code[0].value == "\n".join(PAGES[6])
    assert "p. 7 · left out here: 1 repeated header, “Sea <b>marks</b>”, 1 page number, “7”" in remarks(app)
    summary = "marks.pdf: read as PDF, by pypdfium2 · left out: 10 page numbers and 9 repeated headers."
    assert f"{summary} The text below is what is cut." in remarks(app)


def test_left_out_headers_are_put_back_into_their_pages(app):
    parsed(app, "marks.pdf", pdf(PAGES, header="Voyage {n}", footer="Sea marks"))
    before = app.session_state["own"]
    assert "Voyage" not in before.text
    next(button for button in app.button if button.label == "Put headers back").click().run()
    assert not app.exception
    own = app.session_state["own"]
    assert own.text == "\n\n".join(f"Voyage {n}\n{line}\n{other}" for n, (line, other) in enumerate(PAGES, start=1))
    assert [own.text[start:].split("\n")[0] for start in own.parts.starts] == [f"Voyage {n}" for n in range(1, 11)]
    assert own.teaches == "read as PDF, by pypdfium2 · left out: 10 repeated footers"
    next(button for button in app.button if button.label == "Put footers back").click().run()
    assert app.session_state["own"].text.count("\nSea marks") == 10
    assert not [button for button in app.button if button.label.startswith("Put ")]
    assert "left out" not in app.session_state["own"].teaches


def test_boundaries_move_with_lines_that_are_put_back():
    text = "One a.\n\nTwo a.\n\nTwo b."
    omissions = [Omission("repeated header", 1, part, f"H{part}") for part in (0, 1, 2)]
    parts = TextParts("page", (0, 8, 8), ("1", "2", "3"))
    put = with_headers_or_footers_reinserted(
        TextWithDetails(text, "Mine", (8, 16), "", parts, tuple(omissions)), "repeated header"
    )
    assert put.text == "H0\nOne a.\n\nH1\n\nH2\nTwo a.\n\nTwo b."
    assert [put.text[start:].split("\n")[0] for start in put.parts.starts] == ["H0", "H1", "H2"]
    assert [put.text[place:] for place in put.known] == ["H1\n\nH2\nTwo a.\n\nTwo b.", "Two b."]


def test_the_chapters_of_a_book_have_their_titles(app):
    parsed(app, "marks.epub", book(CHAPTERS))
    assert app.number_input[0].label == "Chapter (1 to 4)"
    app.number_input[0].set_value(2).run()
    assert app.code[0].value == "Untitled."
    assert "ch. 2 · left out here: 1 picture" in remarks(app)
    app.number_input[0].set_value(3).run()
    assert "No text." in remarks(app)


def test_a_file_without_pages_is_shown_as_it_was_read(app):
    parsed(app, "marks.html", b"<p>Lamps &amp; <b>buoys</b>.</p>")
    assert app.code[0].value == "Lamps & **buoys**."
    assert not app.dataframe
    assert not [field for field in app.number_input if "from 1 to" in field.label]
    assert any("nothing was left out." in remark for remark in remarks(app))


def test_a_long_text_is_shown_in_stretches_that_leave_nothing_out():
    text = "a" * (2 * LONGEST_EXTRACTED_PASSAGE + 1)
    stretches = page_stretches(text, None)
    assert "".join(text[start:end] for _, start, end in stretches) == text
    assert max(end - start for _, start, end in stretches) == LONGEST_EXTRACTED_PASSAGE
    assert page_stretches("", None) == [(None, 0, 0)]


def test_nothing_left_out_is_an_empty_table():
    assert build_omission_table((), None) == {"left out": [], "times": []}
    assert TextWithDetails("a", "b").left_out == ()
