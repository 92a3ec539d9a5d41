"""Runs on the workers of a Dask cluster, which need kueuelab and nothing else of the sweep.

The plan is a task of its own: a worker that dies takes its copy with it, and the scheduler makes
another one. Runs of that worker are done again by others.
"""

from __future__ import annotations

from collections.abc import Collection, Generator
from contextlib import ExitStack
from typing import Any, Final

from kueuelab.errors import KueueLabError
from kueuelab.messages import Message
from kueuelab.sweeps.plan import Plan, Row
from kueuelab.sweeps.table import needed

__all__ = ["LOCAL", "rows_by_dask"]

#: Instead of an address: a cluster of this machine, for as long as the sweep goes on.
LOCAL: Final = "local"

#: How often a run is tried again on another worker.
_RETRIES: Final = 3
_PATIENCE: Final = "30s"
#: What a run is whose worker died before its row was taken: it is done again.
_NOT_ENDED: Final = ("lost", "pending")


def rows_by_dask(
    plan: Plan, runs: Collection[int], address: str, jobs: int = 1
) -> Generator[Row, None, None]:
    """Yield the rows of runs as they end, from the workers of a Dask cluster.

    What is left when it is closed, as by Ctrl-C, is cancelled.

    Raises
    ------
    KueueLabError
        If Dask is not installed, or nothing answers at the address.
    """
    distributed = needed("distributed")
    with ExitStack() as stack:
        client = stack.enter_context(_client(distributed, address, jobs, stack))
        shared = client.submit(_itself, plan, pure=False, retries=_RETRIES)
        futures = {
            client.submit(_row, shared, run, pure=False, retries=_RETRIES): run for run in runs
        }
        try:
            ended = distributed.as_completed(list(futures))
            for future in ended:
                if future.status in _NOT_ENDED:
                    ended.add(future)
                    continue
                run = futures.pop(future)
                if future.status == "finished":
                    yield future.result()
                else:
                    yield plan.failed(run, _reason(future))
        finally:
            client.cancel([*futures, shared], force=True)


def _client(distributed: Any, address: str, jobs: int, stack: ExitStack) -> Any:
    if address == LOCAL:
        cluster = stack.enter_context(
            distributed.LocalCluster(
                n_workers=jobs,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address=None,
            )
        )
        return distributed.Client(cluster)
    try:
        return distributed.Client(address, timeout=_PATIENCE)
    except (OSError, ValueError) as error:
        hint = Message("sweeps.dask.unreachable.hint")
        raise KueueLabError(
            Message("sweeps.dask.unreachable", address=address), hint=hint
        ) from error


def _reason(future: Any) -> str:
    error = future.exception() if future.status == "error" else None
    return str(error) if error is not None else str(Message("sweeps.dask.cancelled"))


def _itself(plan: Plan) -> Plan:
    return plan


def _row(plan: Plan, run: int) -> Row:
    return plan.row(run)
