"""Many sessions on one server: response times, memory after they end, and the order of waiting sessions.

Run as ``python -m benchmarks.server_load sliders|rounds|waiting|soak``. It starts the app on a port of its own, as ``make
run`` does, and opens sessions that speak Streamlit's protocol (`tests.fixtures.streamlit_client`), so that no browser takes
the processor from it. Each prints one table, with the load of the machine; the exit status is 1 where a target is missed.

``sliders``: twenty sessions move the threshold of ``breakpoint`` on the essay, each as soon as its last answer is whole.
``rounds``: fifty sessions paste texts of their own, are opened and closed again, four times; the server's memory after each.
``waiting``: ten sessions paste 200 kB each at once and move their sliders while they wait, one of them is cancelled, and
another session moves its slider on a small sample all the time.
``soak``: for an hour, twenty sessions with texts of their own move the threshold at a person's pace; each leaves after some
minutes, and another comes in its place. A row for every tenth of the time, so that what grows or slows is seen.
"""

import asyncio
import os
import random
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import count, cycle, islice, pairwise
from typing import Any

import psutil

from benchmarks.harness import (
    Result,
    build_function_adding_option,
    command_line_decorator_for_main,
    load_averages,
    markdown_table,
    print_progress,
    resident_mb,
)
from sample_docs import load_sample
from tests.fixtures.app_server import AppServer, app_server
from tests.fixtures.slider_moves import (
    AMOUNT,
    HEAD,
    READER,
    SliderMoves,
    has_all_results,
    move_slider,
    send_burst,
)
from tests.fixtures.streamlit_client import Client, NoAnswer
from viz.server.server_tasks import CHECK_INTERVAL_S

LOWEST_PERCENTILE, HIGHEST_PERCENTILE = 50, 99
"""The range of percentiles within which sliders are moved."""


# Twenty sliders


async def measure_sliders(server: AppServer, session_count: int, seconds: float, think_seconds: float) -> list[str]:
    """Return a table row for ``session_count`` sessions that move sliders on the essay."""
    process = psutil.Process(server.pid)
    measured_slider_moves = SliderMoves()
    async with AsyncExitStack() as stack:
        clients = [Client(server.url, query="document=essay") for _ in range(session_count)]
        # The first session embeds the essay for all.
        for client in clients:
            await stack.enter_async_context(client)
            await client.wait_until(has_all_results)
        began, server_cpu, client_cpu = time.perf_counter(), cpu_seconds(process), time.process_time()

        async def keep_moving_until_end(client: Client, number: int) -> None:
            random_generator = random.Random(number)
            value = 70
            while time.perf_counter() - began < seconds:
                value = random_generator.choice(
                    [other for other in range(LOWEST_PERCENTILE, HIGHEST_PERCENTILE) if other != value]
                )
                await move_slider(client, value, 2, measured_slider_moves)
                await asyncio.sleep(random_generator.uniform(0, 2 * think_seconds))

        await asyncio.gather(*(keep_moving_until_end(client, number) for number, client in enumerate(clients)))
        run_duration_seconds, server_cpu, client_cpu = (
            time.perf_counter() - began,
            cpu_seconds(process) - server_cpu,
            time.process_time() - client_cpu,
        )
        client_last_value_pairs = zip(clients, cycle(range(LOWEST_PERCENTILE, HIGHEST_PERCENTILE)), strict=False)
        await asyncio.gather(
            *(
                send_burst(client, [60, 95, 55, 81, last], 2, measured_slider_moves)
                for client, last in client_last_value_pairs
            )
        )
        measured_slider_moves.errors += [error for client in clients for error in client.errors]
    print_faults([*measured_slider_moves.errors, *measured_slider_moves.lost])
    server_ms_per_move = f"{1000 * server_cpu / max(1, len(measured_slider_moves.seconds)):.0f}"
    return [
        f"{session_count}",
        f"{think_seconds:g}",
        *measured_slider_moves.cells(),
        server_ms_per_move,
        f"{server_cpu / run_duration_seconds:.2f}",
        f"{client_cpu / run_duration_seconds:.2f}",
        load_averages(2),
    ]


# Fifty sessions, four times


async def measure_memory_over_rounds(
    server: AppServer, session_count_per_round: int, round_count: int, characters: int, session_expiry_seconds: int
) -> list[list[str]]:
    """Return a table row for each round of sessions that paste their own texts and leave."""
    process = psutil.Process(server.pid)
    rows = []
    texts = (essay_with_numbered_sentences(characters, number) for number in count())
    for round_number in range(1, round_count + 1):
        began = time.perf_counter()
        clients = [Client(server.url) for _ in range(session_count_per_round)]
        try:
            await run_coroutines_limited([paste_and_wait(client, next(texts)) for client in clients], at_once=5)
            mb_while_open = resident_mb(process)
        finally:
            for client in clients:
                await client.close()
        seconds_until_sessions_closed = time.perf_counter() - began
        # The server releases expired sessions at its next check.
        await asyncio.sleep(session_expiry_seconds + 2 * CHECK_INTERVAL_S)
        print_faults([error for client in clients for error in client.errors])
        rows.append(
            [
                f"{round_number}",
                f"{seconds_until_sessions_closed:.0f}",
                f"{mb_while_open:.0f}",
                f"{resident_mb(process):.0f}",
                load_averages(2),
            ]
        )
        print_progress(*rows[-1])
    return rows


# Ten that wait for each other


@dataclass
class QueueTimes:
    """Timings of sessions that queue for the same resource.

    Attributes
    ----------
    alone, together
        Seconds until all sessions were done, one after the other and simultaneously.
    order
        The numbers of the sessions in order of completion; they started in ascending order.
    cancel_seconds
        Seconds from a click on Cancel until the next session's job began.
    bystander_moves
        The moves of a session that does not queue.
    """

    alone: float
    together: float
    order: list[int]
    cancel_seconds: float
    bystander_moves: SliderMoves


async def measure_waiting(server: AppServer, session_count: int, characters: int) -> QueueTimes:
    """Let sessions paste texts one by one, then simultaneously, and cancel another one while it embeds."""
    text_numbers = count()
    async with AsyncExitStack() as stack:
        bystander = await stack.enter_async_context(Client(server.url))
        await bystander.wait_until(has_all_results)
        began = time.perf_counter()
        for _ in range(session_count):
            async with Client(server.url) as client:
                await client.paste(essay_with_numbered_sentences(characters, next(text_numbers)))
                await client.wait_until(has_all_results, 600)
        seconds_one_by_one = time.perf_counter() - began
        bystander_moves = SliderMoves()
        bystander_slider_task = asyncio.create_task(keep_moving_slider(bystander, bystander_moves, 0.5))
        clients = [await stack.enter_async_context(Client(server.url)) for _ in range(session_count + 1)]
        completion_order: list[int] = []
        began = time.perf_counter()

        async def wait_for_results_while_rerunning(session_number: int) -> None:
            client = clients[session_number]
            rerunning_task = asyncio.create_task(keep_rerunning_page(client, 3.0))
            await client.wait_until(has_all_results, 900)
            rerunning_task.cancel()
            completion_order.append(session_number)

        cancelled_session_index = session_count // 2
        tasks = []
        for number, client in enumerate(clients):
            await client.paste(essay_with_numbered_sentences(characters, next(text_numbers)))
            if number != cancelled_session_index:
                tasks.append(asyncio.create_task(wait_for_results_while_rerunning(number)))
        seconds_until_next_job_starts = await cancel_job_and_time_next(
            clients[cancelled_session_index], clients[cancelled_session_index + 1]
        )
        await asyncio.gather(*tasks)
        seconds_at_once = time.perf_counter() - began
        bystander_slider_task.cancel()
        print_faults([error for client in (bystander, *clients) for error in client.errors])
    return QueueTimes(seconds_one_by_one, seconds_at_once, completion_order, seconds_until_next_job_starts, bystander_moves)


async def cancel_job_and_time_next(client: Client, next_client: Client) -> float:
    """Cancel a session's job while it embeds; return the seconds until the next session's job starts embedding."""
    await client.wait_until(lambda page: page.progress.startswith("Embedding"), 900)
    began = time.perf_counter()
    await client.press("Cancel")
    return await next_client.wait_until(lambda page: page.progress.startswith("Embedding") or has_all_results(page)) - began


async def keep_moving_slider(client: Client, recorded_slider_moves: SliderMoves, think_seconds: float) -> None:
    """Move a session's slider until cancelled."""
    for value in cycle([60, 80, 70, 90, 75]):
        await move_slider(client, value, 2, recorded_slider_moves)
        await asyncio.sleep(think_seconds)


async def keep_rerunning_page(client: Client, think_seconds: float) -> None:
    """Rerun the page repeatedly, as a user does who tries its controls while waiting."""
    for value in cycle(range(LOWEST_PERCENTILE, HIGHEST_PERCENTILE)):
        await asyncio.sleep(think_seconds)
        if client.has_widget("slider", AMOUNT):
            await client.send(client.slider_state(AMOUNT, value))


# Twenty who come and go, for an hour


STAY_RANGE_S = 300.0, 900.0
"""The range of seconds that a session of ``soak`` stays."""

SOAK_PARTS = 10


async def measure_soak(
    server: AppServer, session_count: int, seconds: float, think_seconds: float, characters: int
) -> list[list[str]]:
    """Return a table row for each tenth of the time: the moves, the new sessions, and the server's memory at the end."""
    process = psutil.Process(server.pid)
    texts = (essay_with_numbered_sentences(characters, number) for number in count())
    began = time.perf_counter()
    recorded_slider_moves = SliderMoves()
    new_session_count = 0

    async def come_and_go(number: int) -> None:
        nonlocal new_session_count
        random_generator = random.Random(number)
        while time.perf_counter() - began < seconds:
            client = Client(server.url)
            leaving_time = time.perf_counter() + random_generator.uniform(*STAY_RANGE_S)
            new_session_count += 1
            try:
                await paste_and_wait(client, next(texts))
                while time.perf_counter() - began < seconds and time.perf_counter() < leaving_time:
                    await move_slider(
                        client, random_generator.randrange(LOWEST_PERCENTILE, HIGHEST_PERCENTILE), 2, recorded_slider_moves
                    )
                    await asyncio.sleep(random_generator.uniform(0, 2 * think_seconds))
            except NoAnswer as error:
                recorded_slider_moves.errors.append(str(error))
            finally:
                recorded_slider_moves.errors += client.errors
                await client.close()

    rows = []
    session_tasks = [asyncio.create_task(come_and_go(number)) for number in range(session_count)]
    for tenth_number in range(1, SOAK_PARTS + 1):
        cpu_time_before_this_tenth = cpu_seconds(process)
        await asyncio.sleep(max(0.0, began + seconds * tenth_number / SOAK_PARTS - time.perf_counter()))
        server_ms_per_move = (
            f"{1000 * (cpu_seconds(process) - cpu_time_before_this_tenth) / max(1, len(recorded_slider_moves.seconds)):.0f}"
        )
        rows.append(
            [
                f"{seconds * tenth_number / SOAK_PARTS / 60:.0f}",
                f"{new_session_count}",
                *recorded_slider_moves.cells(),
                server_ms_per_move,
                f"{resident_mb(process):.0f}",
                load_averages(2),
            ]
        )
        print_progress(*rows[-1])
        print_faults([*recorded_slider_moves.errors, *recorded_slider_moves.lost])
        recorded_slider_moves.seconds, recorded_slider_moves.errors, recorded_slider_moves.lost, new_session_count = (
            [],
            [],
            [],
            0,
        )
    await asyncio.gather(*session_tasks)
    return rows


# What all have in common


async def paste_and_wait(client: Client, text: str) -> None:
    """Open a session, paste a text and wait until it is cut."""
    await client.open()
    await client.paste(text)
    await client.wait_until(
        lambda page: has_all_results(page) and '"title": "Pasted text"' in page.component_json(READER), 300
    )


async def run_coroutines_limited(coroutines: Sequence[Coroutine[object, object, None]], at_once: int) -> None:
    """Run the coroutines, at most ``at_once`` at the same time."""
    running_limit = asyncio.Semaphore(at_once)

    async def run_coroutine_when_slot_free(coroutine: Coroutine[object, object, None]) -> None:
        async with running_limit:
            await coroutine

    await asyncio.gather(*map(run_coroutine_when_slot_free, coroutines))


def essay_with_numbered_sentences(characters: int, text_number: int) -> str:
    """Return a unique text: the essay's sentences, each with its own number."""
    unnumbered_essay_sentences = load_sample("essay").text.split(". ")
    sentences = (f"{sentence} {text_number}.{place}" for place, sentence in enumerate(cycle(unnumbered_essay_sentences)))
    sentences_of_text = islice(
        sentences, 2 + characters * len(unnumbered_essay_sentences) // sum(map(len, unnumbered_essay_sentences))
    )
    return ". ".join(sentences_of_text)[:characters]


def cpu_seconds(process: psutil.Process) -> float:
    """Return the processor seconds that the server has used."""
    times = process.cpu_times()
    return float(times.user + times.system)


def print_faults(faults: Sequence[str]) -> None:
    """Print each distinct fault with its count."""
    for fault in sorted(set(faults))[:20]:
        print_progress(f"{faults.count(fault)} × {fault}")


def measure_and_report_sliders(
    session_count: int | None, measurement_seconds: float | None, thinking_seconds: float | None, **_: object
) -> bool:
    """Run and print the measurement ``sliders``; return whether the targets are met."""
    row = run_with_server(measure_sliders, session_count or 20, measurement_seconds or 120, thinking_seconds or 0)
    table_head = ["sessions", "thinks, s", *HEAD, "server, ms a move", "server, cores", "clients, cores", "load"]
    print(markdown_table(table_head, [row]))
    return row[3:5] == ["0", "0"] and float(row[5]) < 1 and float(row[6]) < 3


def measure_and_report_memory_rounds(
    session_count: int | None, round_count: int, characters: int | None, session_lifetime_seconds: int, **_: object
) -> bool:
    """Run and print the measurement ``rounds``; return whether the targets are met."""
    os.environ["STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL"] = str(session_lifetime_seconds)
    session_count = session_count or 50
    rows = run_with_server(
        measure_memory_over_rounds, session_count, round_count, characters or 8_000, session_lifetime_seconds
    )
    print(markdown_table(["round", "seconds", f"MB with {session_count} sessions", "MB after", "load"], rows))
    memory_after_rounds = [float(row[3]) for row in rows]
    return all(abs(later / memory_after_rounds[1] - 1) <= 0.05 for later in memory_after_rounds[2:])


def measure_and_report_waiting(session_count: int | None, characters: int | None, **_: object) -> bool:
    """Run and print the measurement ``waiting``; return whether the targets are met."""
    session_count = session_count or 10
    queue_times = run_with_server(measure_waiting, session_count, characters or 200_000)
    is_completion_in_order = all(first < second for first, second in pairwise(queue_times.order))
    together_to_alone_ratio = queue_times.together / queue_times.alone
    head = ["sessions", "one by one, s", "at once, s", "ratio", "done", "in order", "freed, s"]
    cells = [
        f"{session_count}",
        f"{queue_times.alone:.0f}",
        f"{queue_times.together:.0f}",
        f"{together_to_alone_ratio:.2f}",
        f"{len(queue_times.order)}",
    ]
    bystander_heads = [f"beside: {name}" for name in HEAD]
    row = [
        *cells,
        "yes" if is_completion_in_order else " ".join(map(str, queue_times.order)),
        f"{queue_times.cancel_seconds:.1f}",
        *queue_times.bystander_moves.cells(),
        load_averages(2),
    ]
    print(markdown_table([*head, *bystander_heads, "load"], [row]))
    return (
        len(queue_times.order) == session_count
        and is_completion_in_order
        and together_to_alone_ratio <= 1.3
        and queue_times.cancel_seconds <= 2
        and not queue_times.bystander_moves.errors
        and not queue_times.bystander_moves.lost
        and max(queue_times.bystander_moves.seconds, default=0.0) < 0.5
    )


def measure_and_report_soak(
    session_count: int | None,
    measurement_seconds: float | None,
    thinking_seconds: float | None,
    characters: int | None,
    **_: object,
) -> bool:
    """Run and print the measurement ``soak``; return whether it had no faults and stayed fast and small."""
    rows = run_with_server(
        measure_soak, session_count or 20, measurement_seconds or 3600, thinking_seconds or 5, characters or 8_000
    )
    print(markdown_table(["until minute", "came", *HEAD, "server, ms a move", "MB", "load"], rows))
    second_row, last_row = rows[1], rows[-1]
    is_steady = all(float(last_row[place]) <= 1.5 * float(second_row[place]) for place in (8, 9))
    return is_steady and all(row[3:5] == ["0", "0"] for row in rows)


def run_with_server(measure: Callable[..., Coroutine[object, object, Result]], *arguments: float) -> Result:
    """Start the app, run a measurement of it with the given arguments, and stop the app."""
    with app_server() as server:
        # Load the model before anything is measured.
        return asyncio.run(measure(server, *arguments))


RUN_FUNCTION_BY_MEASUREMENT: dict[str, Callable[..., bool]] = {
    "sliders": measure_and_report_sliders,
    "rounds": measure_and_report_memory_rounds,
    "waiting": measure_and_report_waiting,
    "soak": measure_and_report_soak,
}


@command_line_decorator_for_main(
    build_function_adding_option("what", choices=RUN_FUNCTION_BY_MEASUREMENT),
    build_function_adding_option(
        "--sessions", dest="session_count", type=int, metavar="N", help="sessions (default: 20, 50, 10 and 20)"
    ),
    build_function_adding_option(
        "--seconds",
        dest="measurement_seconds",
        type=float,
        metavar="S",
        help="of moving sliders (default: 120 and 3,600)",
    ),
    build_function_adding_option(
        "--think",
        dest="thinking_seconds",
        type=float,
        metavar="S",
        help="between an answer and the next move (default: 0 and 5)",
    ),
    build_function_adding_option(
        "--rounds", dest="round_count", type=int, default=4, metavar="N", help="of opening and closing (default: 4)"
    ),
    build_function_adding_option(
        "--characters", type=int, metavar="N", help="of each text (default: 8,000, and 200,000 for waiting)"
    ),
    build_function_adding_option(
        "--ttl",
        dest="session_lifetime_seconds",
        type=int,
        default=120,
        metavar="S",
        help="that Streamlit keeps a closed session (default: 120, as it does)",
    ),
)
def main(what: str, **given: Any) -> int:
    """Run one of the measurements; return 1 if a target is missed."""
    return 0 if RUN_FUNCTION_BY_MEASUREMENT[what](**given) else 1


if __name__ == "__main__":
    raise SystemExit(main())
