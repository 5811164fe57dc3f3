"""Start of the app for tests and benchmarks: a server that fails to start raises an error with its log."""

import urllib.request

import psutil
import pytest

from tests.browser.conftest import evidence
from tests.browser.steps import open_app
from tests.fixtures.app_server import NotServing, app_server


@pytest.mark.full
def test_servers_beside_each_other_have_ports_of_their_own_and_end_with_the_block(tmp_path):
    with app_server(tmp_path / "one.txt") as one, app_server(tmp_path / "two.txt") as two:
        assert one.url != two.url
        for server in (one, two):
            with urllib.request.urlopen(server.url) as answer:
                assert answer.status == 200
    assert not psutil.pid_exists(one.pid)
    assert not psutil.pid_exists(two.pid)


def test_a_server_that_ends_shows_its_log(tmp_path):
    with (
        pytest.raises(NotServing, match=r"(?s)ended with status 2 .*no_such_app\.py"),
        app_server(tmp_path / "log.txt", "no_such_app.py"),
    ):
        pass


def test_a_server_that_does_not_answer_in_time_is_stopped_and_shows_its_log(tmp_path):
    with pytest.raises(NotServing, match="did not answer in time"), app_server(tmp_path / "log.txt", limit=0.0):
        pass
    assert not any("streamlit" in child.name() for child in psutil.Process().children())


@pytest.mark.full
def test_the_report_of_a_failure_has_what_every_tab_showed_and_what_the_server_wrote(page, server, browser):
    open_app(page, server.url)
    found = dict(evidence(browser, server))
    shown = found[f"tab at {page.url}"]
    assert "'connection': 'CONNECTED'" in shown
    assert "Splitter and embedder" in shown
    assert server.url in found["server's log"]
    assert evidence(None, None) == []
