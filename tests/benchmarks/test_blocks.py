"""The blocks of Markdown beside markdown-it's tree: no difference but those that docs/chunkers.md lists."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.markdown_block_differences import (
    differing_blocks,
    expected_blocks,
    main,
    names_and_texts_of_markdown_files,
    our_blocks,
    yield_whether_lists_are_whole,
)
from chunkers.text.file_reading import read_document_text
from sample_docs import load_sample, sample_titles
from tests import ROOT
from tests.fixtures.structured_files import FILES

LINES = [
    *("# One", "###### Six #", "#", "===", "---", "text", "More text.", "Text: with", "> quoted", ">> deeper", "- item"),
    *(
        "  - nested",
        "* other",
        "1. first.",
        "2) second",
        "3. third",
        "   lazy",
        "1.1 The owner",
        "10.2. x",
        "\ttab",
        "    code",
    ),
    *("```", "~~~ py", "  ```", "$$", "\\[", "\\]", "$$ a $$.", "  $$", "> $$", "| a | b |", "|---|---|", "| 1 | 2 |"),
    *("  | a | b |", "  |---|---|", "", "", "", "\u00a0", "\f", "<div>", "</div>", "<!-- c", "-->", "<b>x</b>", "  <p>"),
    *("[a]: b", "  [c]: <d> 'e'", "[f]:", '[g]: h "t', "- - - -", "***", "- [x]: y", "- # h", "- ```", "> - q", "> ---"),
    *("* * x", "1. > z", "-", "+", "+ plus", "```x`", "-\ttab", "title: x", "+++", "x = 1", "\ufeff"),
]

TOPS = [
    *("", "---\n", "---\ntitle: x\n---\n", "+++\na = 1\n+++\n", "---\n\na: b\nc:\n- x\n---\n", "---\nProse\n---\n"),
    *("\ufeff---\na: b\n---\n", "\ufeff# T\n"),
]


@pytest.mark.parametrize("name", sample_titles())
def test_the_bundled_texts_have_the_blocks_of_the_tree(name):
    text = load_sample(name).text
    assert our_blocks(text) == expected_blocks(text)


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name in FILES if not name.endswith(".pdf")])
@pytest.mark.slow
def test_converted_files_have_the_blocks_of_the_tree(name):
    text = read_document_text(FILES[name](), name).text
    assert our_blocks(text) == expected_blocks(text)


@pytest.mark.slow
@given(st.sampled_from(TOPS), st.lists(st.sampled_from(LINES), max_size=14), st.sampled_from(["\n", "\r\n", "\r"]))
@example("", ["> $$", "  $$"], "\n")
@example("", ["- $$", "a", "$$"], "\n")
@example("", ["* * x", "", "  text.", "More text."], "\r")
def test_generated_markdown_has_the_blocks_of_the_tree(top, lines, end):
    text = (top + "\n".join(lines)).replace("\n", end)
    assert our_blocks(text) == expected_blocks(text)


@pytest.mark.parametrize(("text", "torn"), [("- a\n\n- b", False), ("- a\n- b", None), ("1. a\n\n   b\n2. c\n", False)])
def test_lists_with_blank_lines_are_counted(text, torn):
    assert [*yield_whether_lists_are_whole(text)] == ([] if torn is None else [not torn])


def test_it_lists_what_differs(tmp_path, capsys, monkeypatch):
    (tmp_path / "a.md").write_text("- a\n\n- b\n\nText.\n", encoding="utf-8")
    assert main([str(tmp_path)]) == 0
    assert [cell.strip() for cell in capsys.readouterr().out.splitlines()[2].split("|")[1:-1]] == ["1", "4", "0", "1", "0"]
    monkeypatch.setattr("benchmarks.markdown_block_differences.our_blocks", lambda _: set())
    assert main([str(tmp_path)]) == 1
    assert "a.md: paragraph at 10 to 15, outermost" in capsys.readouterr().out


@pytest.mark.full
def test_no_list_of_the_installed_packages_is_torn():
    files = [*names_and_texts_of_markdown_files([str(ROOT / ".venv")])]
    whole = [is_whole for _, text in files for is_whole in yield_whether_lists_are_whole(text)]
    assert len(files) > 100
    assert len(whole) > 20
    assert all(whole)
    assert not [name for name, text in files if differing_blocks(text)]
