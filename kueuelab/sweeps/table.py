"""Rows as a table: columns in a fixed order, each of one type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from kueuelab.errors import KueueLabError
from kueuelab.messages import Message
from kueuelab.sweeps.plan import Plan, Row, factor_columns

if TYPE_CHECKING:
    import pyarrow

__all__ = ["columns_of", "needed", "table_of"]


def needed(package: str) -> Any:
    """Return a package of an extra.

    Raises
    ------
    KueueLabError
        If it is not installed: what to install.
    """
    try:
        if package == "pandas":
            import pandas

            return pandas
        if package == "optuna":
            import optuna

            return optuna
        if package == "distributed":
            import distributed

            return distributed
        import pyarrow.parquet

        return pyarrow
    except ModuleNotFoundError as error:
        extra = "dask" if package == "distributed" else "sweep"
        hint = Message("sweeps.needs.hint", extra=extra)
        raise KueueLabError(Message("sweeps.needs", package=package), hint=hint) from error


def columns_of(plan: Plan, rows: Iterable[Row]) -> list[str]:
    """Return the names of the columns: number, seed, factors, error, then the measures."""
    first = ["run", "seed", *(factor.name for factor in plan.factors), "error"]
    measured = {name: None for row in rows for name in row if name not in first}
    general = [name for name in measured if "[" not in name]
    return [*first, *general, *sorted(name for name in measured if "[" in name)]


def table_of(plan: Plan, rows: Sequence[Row]) -> pyarrow.Table:
    """Return rows as an Arrow table; what a run has no measure of is null.

    Raises
    ------
    KueueLabError
        If pyarrow is not installed.
    """
    arrow = needed("pyarrow")
    kinds: dict[str, type] = {"run": int, "seed": int, "error": str, **factor_columns(plan)}
    types = {int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_(), str: arrow.string()}
    columns = {}
    for name in columns_of(plan, rows):
        kind = kinds.get(name, float)
        values = [row.get(name) for row in rows]
        cast = [None if value is None else kind(value) for value in values]
        columns[name] = arrow.array(cast, types[kind])
    return arrow.table(columns)
