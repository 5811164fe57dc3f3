"""Answers to browsers that ask where to send a file stay in Streamlit's queue when a run of the page begins."""

from inspect import unwrap

import pytest
from starlette.exceptions import HTTPException
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from viz.server import streamlit_patches
from viz.server.streamlit_patches import limit_uploads, stop_dropping_upload_address_replies


@pytest.fixture
def queue():
    """A queue with an answer, something of a run, and the end of one."""
    made = ForwardMsgQueue()
    answer, delta, end = ForwardMsg(), ForwardMsg(), ForwardMsg()
    answer.file_urls_response.response_id = "asked"
    delta.delta.new_element.text.body = "drawn"
    end.script_finished = ForwardMsg.FINISHED_SUCCESSFULLY
    for message in (delta, answer, end):
        made.enqueue(message)
    return made


@pytest.fixture
def keeping(monkeypatch):
    monkeypatch.setattr(ForwardMsgQueue, "clear", ForwardMsgQueue.clear)
    stop_dropping_upload_address_replies()


def kinds(queue):
    return [message.WhichOneof("type") for message in queue.flush()]


def test_streamlit_itself_drops_them(queue, monkeypatch):
    """If this fails, Streamlit has fixed the fault: remove `viz.server.streamlit_patches`."""
    # A test before this one may have started the server here, whose queue keeps them.
    monkeypatch.setattr(ForwardMsgQueue, "clear", unwrap(ForwardMsgQueue.clear))
    queue.clear(retain_lifecycle_msgs=True)
    assert kinds(queue) == ["script_finished"]


@pytest.mark.usefixtures("keeping")
def test_they_stay_when_a_run_begins_and_nothing_else_does(queue):
    queue.clear(retain_lifecycle_msgs=True)
    assert sorted(kinds(queue)) == ["file_urls_response", "script_finished"]


@pytest.mark.usefixtures("keeping")
def test_they_stay_once_when_a_fragment_runs(queue):
    queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=["a"])
    assert kinds(queue).count("file_urls_response") == 1


@pytest.mark.usefixtures("keeping")
def test_once_they_are_sent_they_are_gone(queue):
    assert len(kinds(queue)) == 3
    assert kinds(queue) == []


@pytest.mark.usefixtures("keeping")
def test_a_second_call_changes_nothing(queue):
    stop_dropping_upload_address_replies()
    queue.clear(retain_lifecycle_msgs=True)
    assert kinds(queue).count("file_urls_response") == 1
    assert (
        unwrap(ForwardMsgQueue.clear, stop=lambda clear: not hasattr(clear.__wrapped__, "__wrapped__"))
        is ForwardMsgQueue.clear
    )


def test_the_files_of_a_session_have_a_limit_and_those_of_another_do_not_count(monkeypatch):
    monkeypatch.setattr(MemoryUploadedFileManager, "add_file", MemoryUploadedFileManager.add_file)
    monkeypatch.setattr(streamlit_patches, "MOST_UPLOADED_BYTES", 10)
    limit_uploads()
    limit_uploads()
    manager = MemoryUploadedFileManager("/upload")
    manager.add_file("one", UploadedFileRec("a", "a.txt", "text/plain", b"123456"))
    with pytest.raises(HTTPException, match="may have at most 10 bytes; with this one they would have 11") as refused:
        manager.add_file("one", UploadedFileRec("b", "b.txt", "text/plain", b"12345"))
    assert refused.value.status_code == 413
    manager.add_file("one", UploadedFileRec("a", "a.txt", "text/plain", b"1234567890"))
    manager.add_file("two", UploadedFileRec("b", "b.txt", "text/plain", b"12345"))
    assert [len(manager.file_storage[session]) for session in ("one", "two")] == [1, 1]
