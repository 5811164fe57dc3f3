"""Several sessions on one server, by Streamlit's protocol: each ends with the value that it sent last."""

import asyncio

import pytest

from tests.fixtures.slider_moves import AMOUNT, SliderMoves, has_all_results, move_slider, send_burst, shown_amount
from tests.fixtures.streamlit_client import Client
from tests.support import in_a_loop

pytestmark = pytest.mark.browser


async def use(url, last):
    """Move a slider with and without waiting for answers; return what the session saw, and where it ended."""
    moves = SliderMoves()
    async with Client(url) as client:
        await client.wait_until(has_all_results)
        await move_slider(client, 60, 2, moves)
        await send_burst(client, [81, 93, 55, 77, last], 2, moves)
        return moves, client.errors, shown_amount(client, 2)


def test_the_value_that_was_sent_last_is_the_one_that_is_shown(app_url):
    lasts = [62, 71, 84, 95]

    async def all_at_once():
        return await asyncio.gather(*(use(app_url, last) for last in lasts))

    for last, (moves, errors, shown) in zip(lasts, in_a_loop(all_at_once()), strict=True):
        assert (moves.errors, moves.lost, errors) == ([], [], [])
        assert shown == f"{last}"


def test_a_sessions_slider_does_not_move_anothers(app_url):
    async def two():
        async with Client(app_url) as one, Client(app_url) as other:
            await one.run(one.slider_state(AMOUNT, 61))
            await other.run(other.slider_state(AMOUNT, 88))
            await one.run()
            return shown_amount(one, 2), shown_amount(other, 2)

    assert in_a_loop(two()) == ("61", "88")
