"""Texts kept on this machine: private, bounded, and never one in the place of another."""

import stat
import threading

import pytest

from chunkers import InputError
from viz.jobs.storage import disk_text_store
from viz.jobs.storage.disk_text_store import DiskTextStore, StoredTextKey


@pytest.fixture
def store(tmp_path):
    return DiskTextStore(tmp_path / "data" / "notebooks.sqlite")


def write(store, place=None, name="notes.txt", metadata=b"{}", text="A text.", question_count=0):
    return store.write(place, name, question_count, metadata, str(hash(text)), text)


def test_nothing_is_created_before_a_text_is_kept(store, tmp_path):
    assert store.listed() == []
    store.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_text_comes_back_as_it_was_and_the_list_has_the_last_one_first(store):
    first = write(store, text="One \ud800 text.\x00", metadata=b'{"a": 1}', question_count=2)
    second = write(store, name="other.md")
    assert store.read(first.id) == (first, b'{"a": 1}', "One \ud800 text.\x00")
    assert [
        (stored_version.id, stored_version.name, stored_version.question_count) for stored_version in store.listed()
    ] == [
        (second.id, "other.md", 0),
        (first.id, "notes.txt", 2),
    ]
    changed = write(store, first, text="Another text.")
    assert changed == StoredTextKey(first.id, first.revision + 1)
    assert [stored_version.id for stored_version in store.listed()] == [first.id, second.id]
    assert store.read(first.id)[2] == "Another text."


def test_only_the_user_can_read_the_file(store, tmp_path):
    write(store)
    assert stat.S_IMODE((tmp_path / "data" / "notebooks.sqlite").stat().st_mode) == 0o600


def test_two_tabs_that_change_a_text_both_keep_theirs(store):
    place = write(store)
    current_page = write(store, place, metadata=b'{"from": "here"}')
    there = write(store, place, metadata=b'{"from": "there"}')
    assert current_page.id == place.id != there.id
    assert {store.read(written.id)[1] for written in (current_page, there)} == {b'{"from": "here"}', b'{"from": "there"}'}
    assert store.read(there.id)[2] == "A text."


def test_tabs_that_write_at_once_lose_nothing(store, tmp_path):
    def work(number):
        mine, place = DiskTextStore(tmp_path / "data" / "notebooks.sqlite"), None
        for turn in range(5):
            place = write(mine, place, name=f"{number}", metadata=f"{turn}".encode(), text=f"{number} {turn}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    listed = store.listed()
    assert sorted(stored_version.name for stored_version in listed) == [str(number) for number in range(6)]
    assert all(store.read(stored_version.id)[1:] == (b"4", f"{stored_version.name} 4") for stored_version in listed)


def test_a_removed_text_is_not_in_the_file_any_more_and_a_tab_that_has_it_keeps_it_anew(store, tmp_path):
    place, other = write(store, text="a secret of mine"), write(store, name="other")
    store.remove(place.id)
    assert [stored_version.id for stored_version in store.listed()] == [other.id]
    assert store.read(place.id) is None
    assert b"a secret" not in (tmp_path / "data" / "notebooks.sqlite").read_bytes()
    assert write(store, place, text="a secret of mine").id != place.id
    store.remove()
    assert store.listed() == []


def test_a_full_file_is_a_sentence_and_keeps_what_it_has(store, monkeypatch):
    monkeypatch.setattr(disk_text_store, "MOST_STORED_BYTES", 100_000)
    place = write(store)
    with pytest.raises(InputError, match=r"may have at most 0 MB, and the disk must have room .* Remove a kept text"):
        write(store, place, text="x" * 200_000)
    assert store.read(place.id) == (place, b"{}", "A text.")


def test_a_file_of_something_else_is_a_sentence_and_stays(store, tmp_path):
    path = tmp_path / "data" / "notebooks.sqlite"
    path.parent.mkdir()
    path.write_bytes(b"this is no database, and it is longer than a page would be\n" * 100)
    before = path.read_bytes()
    for act in (store.listed, lambda: write(store), store.remove, lambda: store.read("one")):
        with pytest.raises(InputError, match=r"notebooks\.sqlite, cannot be read or written"):
            act()
    assert path.read_bytes() == before


def test_a_file_that_is_deleted_meanwhile_is_not_made_again_by_reading(store, tmp_path, monkeypatch):
    place = store.write(None, "notes.txt", 0, b"{}", "digest", "A text.")
    (path,) = tmp_path.rglob("*.sqlite")
    path.unlink()
    assert store.read(place.id) is None
    assert store.listed() == []
    store.remove()
    assert not path.exists()
