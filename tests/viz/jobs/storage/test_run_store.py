"""Runs on disk: whatever happens to the file, a run is there as it was written, or a sentence, or nothing."""

import multiprocessing
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import time
from contextlib import closing

import pytest

from chunkers import InputError
from chunkers.storage import private_files
from tests import ROOT
from tests.lanes import mostly_full
from tests.support import LIMIT, HashEmbedder
from viz.jobs.storage import run_store
from viz.jobs.storage.run_store import RunStore
from viz.jobs.storage.stored_run import Keeper

PLAN = b'{"plan": 1}'


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cache" / "runs.sqlite"


def keeper(path, token="a token", kind="sweep"):
    return Keeper(RunStore(path), token, kind)


def filled(path, token="a token"):
    run_keeper = keeper(path, token)
    run_keeper.begin(PLAN)
    for number in range(3):
        run_keeper.add_part(number, f"part {number}".encode())
    return run_keeper


def change(path, statement):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)


def test_a_run_is_there_for_another_server(path):
    filled(path)
    again = keeper(path)
    assert again.stored_plan_json() == PLAN
    assert again.parts() == {0: b"part 0", 1: b"part 1", 2: b"part 2"}
    assert keeper(path, "another").stored_plan_json() is None
    assert keeper(path, kind="retrieval").stored_plan_json() is None


def test_nothing_is_written_before_a_run_is_kept(path):
    store = RunStore(path)
    assert keeper(path).stored_plan_json() is None
    assert keeper(path).parts() == {}
    store.clear()
    assert store.file_size_in_bytes == 0
    assert not path.parent.exists()


def test_the_file_is_the_user_s_alone(path):
    os.umask(os.umask(0))
    store = filled(path).store
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert store.file_size_in_bytes == path.stat().st_size > 0


def test_neither_the_link_nor_what_is_hashed_follows_from_the_file(path):
    run_keeper = keeper(path, "the-token-of-a-link")
    digest = run_keeper.hash_texts_with_token("a short text")
    run_keeper.begin(digest.encode())
    assert b"the-token-of-a-link" not in path.read_bytes()
    # Whoever guesses the text but has another link gets another hash.
    assert (
        keeper(path, "another link").hash_texts_with_token("a short text")
        != digest
        == keeper(path, "the-token-of-a-link").hash_texts_with_token("a short text")
    )
    assert run_keeper.hash_texts_with_token("ab", "c") != run_keeper.hash_texts_with_token("a", "bc")


def test_clearing_forgets_all_and_nothing_is_kept_of_a_run_at_work(path):
    run_keeper = filled(path)
    size = path.stat().st_size
    keeper(path, "another").begin(b"x" * 100_000)
    keeper(path).store.clear()
    run_keeper.add_part(9, b"a late part")
    assert run_keeper.stored_plan_json() is None
    assert run_keeper.parts() == {}
    assert path.stat().st_size <= size
    assert b"part 1" not in path.read_bytes()


def test_a_run_goes_on_with_the_model_that_it_was_begun_with(path):
    run_keeper, embedder = filled(path), HashEmbedder()
    run_keeper.record_or_check_embedder(embedder)
    keeper(path).record_or_check_embedder(HashEmbedder())
    embedder.revision = "2"
    with pytest.raises(InputError, match="hash: a run must continue with the model that it began with"):
        keeper(path).record_or_check_embedder(embedder)


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda path: path.write_bytes(b"not a database at all" * 500), "must be written by this version of Seamark"),
        (lambda path: path.write_bytes(os.urandom(9000)), "must be written by this version of Seamark"),
        (lambda path: path.write_bytes(path.read_bytes()[:5000]), "the file|The file"),
        (lambda path: change(path, "PRAGMA user_version = 2"), "its format is 2, not 1"),
        (lambda path: change(path, "PRAGMA application_id = 1"), "another program's"),
        (lambda path: change(path, "UPDATE runs SET version = '0.0.9'"), "damaged"),
        (lambda path: change(path, "UPDATE runs SET plan = x'00'"), "damaged"),
        (lambda path: change(path, "UPDATE runs SET plan = NULL"), "damaged"),
        (lambda path: change(path, "DROP TABLE runs"), "cannot be read"),
    ],
)
def test_a_file_or_a_run_of_something_else_is_a_sentence(path, damage, sentence):
    filled(path).store._close()
    damage(path)
    with pytest.raises(InputError, match=sentence) as error:
        keeper(path).stored_plan_json()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("content", [b"not a database at all" * 500, b""])
def test_a_file_of_something_else_is_replaced_by_the_next_run(path, content):
    path.parent.mkdir()
    path.write_bytes(content)
    run_keeper = filled(path)
    assert (run_keeper.stored_plan_json(), len(run_keeper.parts())) == (PLAN, 3)


def test_a_run_of_another_version_is_a_sentence(path, monkeypatch):
    filled(path)
    monkeypatch.setattr(run_store, "__version__", "9.9.9")
    with pytest.raises(InputError, match=r"stored by Seamark 0\.1\.0, and this is Seamark 9\.9\.9\. Run it again"):
        keeper(path).stored_plan_json()


@pytest.mark.parametrize("damage", ["part = x'00'", "part = NULL", "part = 'text'", "number = 7", "run = x'00'"])
def test_a_damaged_part_is_not_finished(path, damage):
    filled(path).store._close()
    change(path, f"UPDATE parts SET {damage} WHERE number = 1")
    assert keeper(path).parts() == {0: b"part 0", 2: b"part 2"}


def test_every_byte_of_the_file_may_be_wrong(path):
    filled(path).store._close()
    whole = path.read_bytes()
    for place in range(0, len(whole), 61):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        run_keeper = keeper(path)
        try:
            assert run_keeper.stored_plan_json() in (PLAN, None)
            assert run_keeper.parts().items() <= {0: b"part 0", 1: b"part 1", 2: b"part 2"}.items()
        except InputError:
            pass
        run_keeper.add_part(3, b"new")
        run_keeper.store._close()


def test_the_oldest_go_beyond_the_number_and_after_the_days(path, monkeypatch):
    monkeypatch.setattr(run_store, "MOST_RUNS_ON_DISK", 3)
    now = time.time()
    for number in range(5):
        monkeypatch.setattr(time, "time", lambda number=number: now + number)
        filled(path, f"run {number}")
    assert [keeper(path, f"run {number}").stored_plan_json() for number in range(5)] == [None, None, PLAN, PLAN, PLAN]
    assert keeper(path, "run 0").parts() == {}
    # Resumed, it is kept for longer.
    monkeypatch.setattr(time, "time", lambda: now + 20 * 86_400)
    keeper(path, "run 2").begin(PLAN)
    monkeypatch.setattr(time, "time", lambda: now + (run_store.MOST_STORAGE_DAYS + 1) * 86_400)
    assert keeper(path, "run 4").stored_plan_json() is None
    assert keeper(path, "run 2").stored_plan_json() == PLAN
    filled(path, "run 5")
    filled(path, "run 6")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM runs").fetchone() == (3,)
    assert [keeper(path, f"run {number}").stored_plan_json() for number in (2, 5, 6)] == [PLAN] * 3


def test_runs_of_a_clock_that_was_ahead_push_out_none_that_is_newer(path, monkeypatch):
    monkeypatch.setattr(run_store, "MOST_RUNS_ON_DISK", 3)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 400 * 86_400)
    for number in range(3):
        filled(path, f"ahead {number}")
    monkeypatch.setattr(time, "time", lambda: now)
    filled(path, "run 1")
    filled(path, "run 2")
    filled(path, "ahead 2")
    assert [keeper(path, name).stored_plan_json() for name in ("ahead 0", "ahead 1", "run 1", "run 2", "ahead 2")] == [
        None
    ] * 2 + [PLAN] * 3
    assert len(keeper(path, "run 2").parts()) == 3


def test_a_clock_that_jumps_forward_once_deletes_no_run(path, monkeypatch):
    now = time.time()
    filled(path, "before")
    monkeypatch.setattr(time, "time", lambda: now + 400 * 86_400)
    filled(path, "in the future")
    monkeypatch.setattr(time, "time", lambda: now + 60)
    filled(path, "after")
    assert [keeper(path, name).stored_plan_json() for name in ("before", "in the future", "after")] == [PLAN] * 3


FULL_DISK = """
import sys
from pathlib import Path
from viz.jobs.storage.stored_run import Keeper
from viz.jobs.storage.run_store import RunStore

store = RunStore(Path(sys.argv[1]) / "runs.sqlite")
runs = [Keeper(store, f"run {number}", "sweep") for number in range(8)]
for number, run in enumerate(runs):
    run.begin(b"{}")
    for part in range(4):
        run.add_part(part, bytes([number]) * 15_000)
for run in runs:
    print(run.stored_plan_json() == b"{}", len(run.parts()), end=" ")
print(bool(store.complaint))
store._close()
"""


@pytest.mark.parametrize(("size", "whole"), mostly_full([("300k", 3), ("40k", 0)], [("300k", 3)]))
def test_on_a_full_disk_the_newest_runs_are_whole_or_it_is_said(tmp_path, size, whole):
    mounted = 'mount -t tmpfs -o size="$1" tmpfs "$2" && exec "$3" -c "$4" "$2"'
    command = ["unshare", "-rm", "sh", "-c", mounted, "sh", size, tmp_path, sys.executable, FULL_DISK]
    if shutil.which("unshare") is None or subprocess.run([*command[:2], "true"], capture_output=True).returncode:
        pytest.skip("a small disk can be mounted only where user namespaces may be made")
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=LIMIT).stdout.split()
    kept = [*zip(told[:-1:2], told[1:-1:2], strict=True)]
    if whole:
        assert kept == [("False", "0")] * (8 - whole) + [("True", "4")] * whole
    assert told[-1] == str(not whole)


def test_a_full_file_lets_the_oldest_go_and_stays_below_its_limit(path, monkeypatch):
    monkeypatch.setattr(run_store, "MAX_RUNS_FILE_BYTES", 200_000)
    now = time.time()
    for number in range(6):
        monkeypatch.setattr(time, "time", lambda number=number: now + number)
        run_keeper = keeper(path, f"run {number}")
        run_keeper.begin(PLAN)
        run_keeper.add_part(0, bytes([number]) * 60_000)
        assert path.stat().st_size <= 200_000
    assert keeper(path, "run 0").stored_plan_json() is None
    assert keeper(path, "run 5").parts() == {0: bytes([5]) * 60_000}
    # What is too large for the whole file is not kept, and does no harm.
    run_keeper.add_part(1, b"x" * 300_000)
    assert run_keeper.parts() == {0: bytes([5]) * 60_000}


def test_a_part_that_is_too_large_is_not_kept(path, monkeypatch):
    monkeypatch.setattr(run_store, "MAX_PART_BYTES", 100)
    run_keeper = filled(path)
    run_keeper.add_part(5, b"x" * 101)
    run_keeper.add_part(6, b"x" * 100)
    assert set(run_keeper.parts()) == {0, 1, 2, 6}
    keeper(path, "another").begin(b"x" * 101)
    assert keeper(path, "another").stored_plan_json() is None


def test_a_file_that_is_larger_than_allowed_is_not_read(path, monkeypatch):
    filled(path).store._close()
    monkeypatch.setattr(run_store, "MAX_RUNS_FILE_BYTES", 5_000)
    with pytest.raises(InputError, match="the file may have at most 5,000 bytes"):
        keeper(path).stored_plan_json()


def test_a_file_that_is_deleted_or_replaced_meanwhile_does_no_harm(path):
    run_keeper = filled(path)
    path.unlink()
    assert run_keeper.stored_plan_json() is None
    run_keeper.begin(PLAN)
    run_keeper.add_part(4, b"part")
    assert keeper(path).parts() == {4: b"part"}
    path.unlink()
    filled(path)
    assert set(run_keeper.parts()) == {0, 1, 2}


def test_a_place_where_no_file_can_be_does_no_harm(tmp_path):
    (tmp_path / "file").write_text("")
    run_keeper = filled(tmp_path / "file" / "runs.sqlite")
    assert run_keeper.store.complaint.startswith(
        "Runs can be kept on disk only while their file can be written; writing it failed: "
    )
    assert run_keeper.parts() == {}
    run_keeper.record_or_check_embedder(HashEmbedder())
    run_keeper.store.clear()


def test_a_run_that_cannot_begin_while_another_process_writes_says_so(path, monkeypatch):
    filled(path)
    monkeypatch.setattr(private_files, "_BUSY_WAIT_SECONDS", 0)
    run_keeper = keeper(path, "another token")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        run_keeper.begin(PLAN)
    assert "writing it failed: database is locked" in run_keeper.store.complaint
    # The run is not there, so its parts are not either, and writing them fails in no other way.
    run_keeper.add_part(0, b"part")
    assert (run_keeper.stored_plan_json(), run_keeper.parts()) == (None, {})
    run_keeper.begin(PLAN)
    assert (run_keeper.stored_plan_json(), run_keeper.store.complaint) == (PLAN, "")


def test_a_folder_that_may_not_be_looked_into_does_no_harm(path, monkeypatch):
    run_keeper = filled(path)

    def refused(self, **_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "stat", refused)
    assert (run_keeper.stored_plan_json(), run_keeper.parts(), run_keeper.store.file_size_in_bytes) == (None, {}, 0)
    run_keeper.store.clear()


@pytest.mark.slow
def test_a_file_that_another_holds_is_left_to_it(path, monkeypatch):
    monkeypatch.setattr("chunkers.storage.private_files._BUSY_WAIT_SECONDS", 0.1)
    run_keeper = filled(path)
    run_keeper.store._close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        run_keeper.add_part(3, b"late")
        run_keeper.store.clear()
        with pytest.raises(InputError, match="cannot be read: database is locked"):
            run_keeper.stored_plan_json()
    assert set(run_keeper.parts()) == {0, 1, 2}


def write(path, first):
    run_keeper = keeper(path)
    for number in range(first, first + 50):
        run_keeper.begin(PLAN)
        run_keeper.add_part(number, f"part {number}".encode())
        keeper(path, f"{first} {number % 5}").begin(PLAN)


@pytest.mark.full
@pytest.mark.slow
def test_two_processes_write_at_once(path):
    context = multiprocessing.get_context("spawn")
    both = [context.Process(target=write, args=(path, first)) for first in (0, 100)]
    for process in both:
        process.start()
    for process in both:
        process.join(LIMIT)
    assert [process.exitcode for process in both] == [0, 0]
    assert keeper(path).parts() == {
        number: f"part {number}".encode() for first in (0, 100) for number in range(first, first + 50)
    }
    assert all(keeper(path, f"{first} {number}").stored_plan_json() == PLAN for first in (0, 100) for number in range(5))
