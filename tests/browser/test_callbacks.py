"""No input is lost if the next one follows immediately; with unpatched Streamlit it is."""

import asyncio

import pytest

from tests.fixtures.app_server import app_server
from tests.fixtures.streamlit_client import LIMIT, Client, NoAnswer
from tests.support import in_a_loop

pytestmark = pytest.mark.browser


UNPATCHED = {"AS_IT_CAME": "1"}
AS_IT_CAME = UNPATCHED | {"STREAMLIT_RUNNER_FAST_RERUNS": "true"}


async def noted(url):
    """Write words, each followed at once by another input; return what the callback has noted and the page has acted on."""
    async with Client(url) as client:
        # The callback has begun, or the page has taken the word: each sleeps for half a second.
        for word, pause in (("one", 0.25), ("two", 0.75)):
            await client.send(client.text_state("text_area", "word", word))
            await asyncio.sleep(pause)
            await client.send(client.text_state("text_area", "another", word))
            await client.wait_until(lambda session, word=word: session.link_parameter("another") == word)
            await client.wait_until_drawn()
        return client.link_parameter("noted"), client.link_parameter("acted")


@pytest.mark.full
def test_a_callback_and_what_an_event_asks_for_are_done_to_the_end(tmp_path):
    with app_server(tmp_path / "log.txt", "tests/browser/hasty_app.py") as server:
        assert in_a_loop(noted(server.url)) == ("one two", "one two")


@pytest.mark.full
def test_streamlit_itself_breaks_it_off(tmp_path):
    """If this fails, Streamlit has mended the fault: remove `streamlit_patches` and the line in config.toml."""
    with app_server(tmp_path / "log.txt", "tests/browser/hasty_app.py", environment=AS_IT_CAME) as server:
        noted_there, acted_there = in_a_loop(noted(server.url))
    assert noted_there != "one two"
    assert acted_there != "one two"


async def written_in_a_lost_fragment(url, limit=LIMIT, **sent):
    """Send input to a fragment that does not exist, and wait until the page has received it."""
    async with Client(url) as client:
        word = client.text_state("text_area", "another", "mine")
        await client.send(word, fragment="lost", **sent)
        await client.wait_until(lambda session: session.link_parameter("another") == "mine", limit)


@pytest.mark.full
def test_an_input_to_a_fragment_that_was_replaced_is_kept(tmp_path):
    with app_server(tmp_path / "log.txt", "tests/browser/hasty_app.py") as server:
        in_a_loop(written_in_a_lost_fragment(server.url))
        # Nobody has done anything if a fragment runs by itself.
        with pytest.raises(NoAnswer):
            in_a_loop(written_in_a_lost_fragment(server.url, 1, by_itself=True))
        # The widget belongs to a page that is no longer there.
        with pytest.raises(NoAnswer):
            in_a_loop(written_in_a_lost_fragment(server.url, 1, page_hash="another"))


async def written_while_the_fragment_is_replaced(url, limit=LIMIT, **sent):
    """Write in a fragment while a run of the page replaces it, and wait until the page has received the text."""
    async with Client(url) as client:
        fragment = client.widget("text_area", "inside").fragment
        await client.send(client.text_state("text_area", "word", "one"))
        await asyncio.sleep(0.75)
        await client.send(client.text_state("text_area", "inside", "mine"), fragment=fragment, **sent)
        await client.wait_until(lambda session: session.link_parameter("inside") == "mine", limit)


@pytest.mark.full
def test_an_input_to_a_fragment_that_is_being_replaced_is_kept(tmp_path):
    with app_server(tmp_path / "log.txt", "tests/browser/hasty_app.py") as server:
        in_a_loop(written_while_the_fragment_is_replaced(server.url))
        with pytest.raises(NoAnswer):
            in_a_loop(written_while_the_fragment_is_replaced(server.url, 3, by_itself=True))


async def chunker_then_slider(url):
    """While the server is busy, choose another chunker, then move a slider of the one before; return the link's column."""
    async with Client(url, query="embedder=tfidf&c1=recursive") as client:
        await client.send()
        await client.send(client.text_state("selectbox", "chunker/0", "Structure"))
        await client.send(client.slider_state("0/recursive/size", 250.0))
        await client.wait_until(lambda session: session.link_parameter("c1") == "structure")
        await client.run()
        return client.link, client.errors


@pytest.mark.full
def test_a_slider_of_the_chunker_before_is_dropped(tmp_path):
    with app_server(tmp_path / "log.txt") as server:
        link, errors = in_a_loop(chunker_then_slider(server.url))
    assert "c1=structure" in link
    assert "size" not in link
    assert errors == []


async def left_in_a_hurry(url):
    """Leave a page by a button, and send its values again while the next page is drawn; return notes and errors."""
    async with Client(url) as client:
        left = client.page_hash
        await client.run(client.text_state("text_area", "word", ""), client.text_state("text_area", "another", "mine"))
        await client.press("Leave")
        await in_time(lambda: client.page_hash != left)
        await client.send(page_hash=left)
        await client.wait_until_drawn()
        return client.link_parameter("noted"), client.errors


async def in_time(holds):
    """Wait until ``holds`` returns True."""
    async with asyncio.timeout(LIMIT):
        while not holds():
            await asyncio.sleep(0.01)


@pytest.mark.full
def test_the_values_of_a_page_that_is_left_are_no_changes(tmp_path):
    with app_server(tmp_path / "log.txt", "tests/browser/leaving_app.py") as server:
        assert in_a_loop(left_in_a_hurry(server.url)) == ("another=mine", [])


@pytest.mark.full
def test_streamlit_itself_takes_them_for_changes(tmp_path):
    """If this fails, Streamlit has mended the fault: remove `stop_forgetting_widget_values_early`."""
    with app_server(tmp_path / "log.txt", "tests/browser/leaving_app.py", environment=AS_IT_CAME) as server:
        assert in_a_loop(left_in_a_hurry(server.url)) != ("another=mine", [])


async def is_other_page_drawn(url):
    """Open the second page while the first works, and return whether it is the one that is drawn in the end."""
    async with Client(url) as client:
        await client.press("Work here")
        await in_time(lambda: client.link_parameter("works"))
        await client.send(page_hash=client.page_hashes["second"])
        await client.wait_until_drawn()
        return client.has_widget("text_area", "another")


async def word_after_going_back(url):
    """Go back to the link of another word while the page works; return the page's word in the end."""
    async with Client(url) as client:
        await client.run(client.text_state("text_area", "word", "after"))
        await client.press("Work here")
        await in_time(lambda: client.link_parameter("works"))
        await client.send(link_gone_back_to="word=before")
        await client.wait_until_drawn()
        return client.link_parameter("word")


async def page_before_begun_again(url, limit=LIMIT):
    """Write in a fragment of the first page while the second works, and wait until a run of the first begins again."""
    async with Client(url) as client:
        first_page, second_page = client.page_hash, client.page_hashes["second"]
        inside = client.widget("text_area", "inside")
        await client.press("Work there")
        await client.wait_until_drawn()
        await client.send(page_hash=second_page)
        await in_time(lambda: client.link_parameter("works"))
        await client.send(client.text_state("text_area", "inside", "late"), fragment=inside.fragment, page_hash=first_page)
        await client.wait_until_drawn()
        await client.wait_until(lambda session: session.page_hash == first_page, limit)


@pytest.mark.full
def test_a_page_that_asks_for_a_rerun_is_left_all_the_same(tmp_path):
    with app_server(tmp_path / "log.txt", "tests/browser/working_app.py") as server:
        assert in_a_loop(is_other_page_drawn(server.url))
        assert in_a_loop(word_after_going_back(server.url)) == "before"
        with pytest.raises(NoAnswer):
            in_a_loop(page_before_begun_again(server.url, 3))


@pytest.mark.full
def test_streamlit_itself_stays_there(tmp_path):
    """Streamlit without `runner.fastReruns`, as the app runs it.

    If one of the first two lines fails, Streamlit has mended the fault: remove `keep_requested_page`. If the third does, an
    input to a fragment no longer clears the page that is drawn: `rerun_page_for_lost_fragment` need not drop it.
    """
    with app_server(tmp_path / "log.txt", "tests/browser/working_app.py", environment=UNPATCHED) as server:
        assert not in_a_loop(is_other_page_drawn(server.url))
        assert in_a_loop(word_after_going_back(server.url)) == "after"
        in_a_loop(page_before_begun_again(server.url))
