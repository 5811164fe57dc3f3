"""Jobs that are killed at random moments: nothing finished is computed again. `benchmarks.process_kills` does more."""

import pytest

from benchmarks.process_kills import run_job_with_kills


@pytest.mark.full
@pytest.mark.parametrize("kind", ["embedding", "sweep", "retrieval run"])
def test_nothing_finished_is_computed_again(kind, tmp_path):
    killed = run_job_with_kills(kind, 2, 1, tmp_path)
    assert killed.kills == 2
    assert killed.shown > 0
    assert killed.shown_again == 0
    assert not killed.has_lost_work
    assert killed.is_result_equal
