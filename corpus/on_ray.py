"""The same run on a Ray cluster: actors that hold the model write the shards, to storage that all of them see."""

import json
import logging
import os
from collections.abc import Generator, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

import pyarrow as pa

from chunkers.support.errors import InputError
from chunkers.support.extras import needed
from corpus.run import ENVIRONMENT, Engine
from corpus.shards import Job, Shard, Tally

MOST_BLOCKS = 2_000
"""Maximum number of shards that Ray is given at once, of which the names of the files are in memory; then it starts its
actors anew.
"""


class Actor:
    """Ray actor that writes shards and keeps the model loaded from one shard to the next.

    Parameters
    ----------
    job
        Settings shared by all shards.
    """

    def __init__(self, job: Job) -> None:
        self._job = job

    def __call__(self, batch: pa.Table) -> pa.Table:
        """Write the shards whose JSON is in the column ``shard``; return the outcome of each as JSON."""
        outcomes: list[dict[str, Any]] = []
        for line in batch.column("shard").to_pylist():
            try:
                outcomes.append({"tally": [*self._job.write(Shard.from_json(line))]})
            except InputError as error:
                # Ray wraps an error in pages of its own; a sentence has to arrive as one.
                outcomes.append({"error": str(error)})
        return pa.table({"told": [json.dumps(outcome) for outcome in outcomes]})


def on_ray(address: str | None = None) -> Engine:
    """Return an engine that writes shards on a Ray cluster.

    Parameters
    ----------
    address
        Address of the cluster, as for ``ray.init``; None for the cluster named by the environment, or for a new local
        cluster if the environment names none.

    Raises
    ------
    ModelError
        If Ray is not installed.
    """
    # Ray tells its makers how it is used unless this is set before it is imported.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    needed("ray.data", "--engine ray", "'ray[data]==2.60.0'")
    return partial(_write, address)


def _write(address: str | None, job: Job, missing: Iterator[Shard], workers: int) -> Generator[Tally]:
    import ray

    # No one process is every actor's parent; what Ray does not want any more it ends itself.
    job = replace(job, parent=0)
    began = not ray.is_initialized()
    if began:
        options: dict[str, Any] = {"runtime_env": {"env_vars": {**ENVIRONMENT, "RAY_USAGE_STATS_ENABLED": "0"}}}
        if address is None and "RAY_ADDRESS" not in os.environ:
            options |= {"num_cpus": workers, "include_dashboard": False}
        ray.init(address, logging_level="error", log_to_driver=False, **options)
    try:
        for name in ("ray.data", "ray"):
            logging.getLogger(name).setLevel(logging.ERROR)
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        while lines := [shard.to_json() for shard in islice(missing, MOST_BLOCKS)]:
            # A block to a shard, so that no more than one is done again where an actor is killed.
            data = ray.data.from_items([{"shard": line} for line in lines], override_num_blocks=len(lines))
            told = data.map_batches(
                Actor,
                fn_constructor_args=(job,),
                batch_size=1,
                batch_format="pyarrow",
                num_cpus=1,
                compute=ray.data.ActorPoolStrategy(min_size=1, max_size=workers),
            )
            for row in told.iter_rows():
                outcome = json.loads(row["told"])
                if "error" in outcome:
                    raise InputError(outcome["error"])
                yield Tally(*outcome["tally"])
    finally:
        if began:
            ray.shutdown()
