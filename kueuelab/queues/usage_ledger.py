"""What LocalQueues have used lately: the books of admission fair sharing (KEP-4136).

Each LocalQueue has an account. What its admitted workloads use flows into ``consumed`` and
fades by half in every half-life. A workload whose quota was just reserved has not used
anything yet, so its LocalQueue is charged an entry penalty at once: what the workload
would use in one sampling interval. The penalty is pending until the workload is admitted;
then it is settled, that is, it becomes part of what was consumed.

Kueue keeps these amounts as Kubernetes quantities, to the billionth and rounded down, and
multiplies them with the shortest decimal form of a floating-point factor. So do we.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import inf
from typing import Final

from kueuelab.model import AdmissionFairSharing
from kueuelab.quantity import Quantity
from kueuelab.queues.half_life import faded_share

__all__ = [
    "Amounts",
    "UsageAccount",
    "UsageLedger",
    "as_quantities",
    "in_billionths",
    "scaled",
    "total",
    "usage_text",
]

#: Resource to amount, in billionths of its unit.
Amounts = Mapping[str, int]

_BILLIONTHS: Final = 10**9
_OF_A_MILLI: Final = 10**6


def in_billionths(requests: Mapping[str, int]) -> dict[str, int]:
    """Return amounts in Kueue's integer units (``cpu`` in thousandths) as billionths."""
    return {
        name: value * (_OF_A_MILLI if name == "cpu" else _BILLIONTHS)
        for name, value in requests.items()
    }


def as_quantities(amounts: Amounts) -> dict[str, str]:
    """Return amounts as Kubernetes prints them, names sorted.

    Examples
    --------
    >>> as_quantities({"memory": 2 * 10**9, "cpu": 585786437})
    {'cpu': '585786437n', 'memory': '2'}
    """
    return {name: str(Quantity(amounts[name])) for name in sorted(amounts)}


def total(*lists: Amounts) -> dict[str, int]:
    """Add up amounts, resource by resource."""
    found: dict[str, int] = {}
    for amounts in lists:
        for name, value in amounts.items():
            found[name] = found.get(name, 0) + value
    return found


def scaled(amounts: Amounts, factor: float) -> dict[str, int]:
    """Multiply amounts exactly, then cut off what is below a billionth.

    Examples
    --------
    >>> scaled({"cpu": 2 * 10**9}, 0.2928932188134524)
    {'cpu': 585786437}
    """
    numerator, denominator = Decimal(repr(factor)).as_integer_ratio()
    return {name: _cut(value * numerator, denominator) for name, value in amounts.items()}


def _cut(value: int, divisor: int) -> int:
    return value // divisor if value >= 0 else -(-value // divisor)


def usage_text(usage: float) -> str:
    """Print a usage as Kueue does: with an exponent where it is very large or small.

    Examples
    --------
    >>> [usage_text(usage) for usage in (0.0, 12.0, 0.2928932185, 1006632960.9375001, inf)]
    ['0', '12', '0.2928932185', '1.0066329609375001e+09', '+Inf']
    """
    if usage == inf:
        return "+Inf"
    exact = Decimal(repr(usage)).normalize()
    exponent = exact.adjusted()
    if not exact or -4 <= exponent <= 5:
        return f"{exact:f}"
    return f"{exact.scaleb(-exponent):f}e{exponent:+03d}"


class UsageAccount:
    """What one LocalQueue has used.

    Attributes
    ----------
    consumed
        Past usage, faded.
    penalties
        Entry penalties that are not settled yet, by workload.
    pending
        Their sum.
    last_update
        When ``consumed`` was brought up to date.
    knows_status
        Whether the history in the LocalQueue's status is part of ``consumed``.
    """

    __slots__ = ("consumed", "knows_status", "last_update", "penalties", "pending")

    def __init__(self, now: int) -> None:
        self.consumed: dict[str, int] = {}
        self.penalties: dict[str, dict[str, int]] = {}
        self.pending: dict[str, int] = {}
        self.last_update = now
        self.knows_status = False

    def charge(self, workload: str, penalty: Amounts) -> None:
        """Record a workload's penalty, in place of one that it had before."""
        self.waive(workload)
        self.penalties[workload] = dict(penalty)
        self.pending = total(self.pending, penalty)

    def waive(self, workload: str) -> dict[str, int] | None:
        """Drop a workload's penalty and return it, ``None`` if it has none."""
        penalty = self.penalties.pop(workload, None)
        if penalty is not None:
            left = total(self.pending, {name: -value for name, value in penalty.items()})
            self.pending = {name: value for name, value in left.items() if value}
        return penalty

    def fade(self, current: Amounts, now: int, half_life: int) -> None:
        """Let time pass up to ``now``, during which ``current`` was in use."""
        share = faded_share(max(0, now - self.last_update), half_life)
        self.consumed = total(scaled(self.consumed, 1 - share), scaled(current, share))
        self.last_update = max(now, self.last_update)

    @property
    def has_pending(self) -> bool:
        """Whether some penalty waits to be settled."""
        return any(self.pending.values())


class UsageLedger:
    """The accounts of all LocalQueues, by ``namespace/name``.

    Examples
    --------
    >>> from kueuelab.model.times import SECOND
    >>> rules = AdmissionFairSharing(10 * SECOND, usage_sampling_interval=5 * SECOND)
    >>> ledger = UsageLedger(rules)
    >>> penalty = ledger.charge("default/x", "default/a", {"cpu": 2000}, now=0)
    >>> ledger.usage("default/x", weight=2.0)
    0.2928932185
    >>> ledger.settle("default/x", "default/a", {"cpu": 2000}, now=0) == penalty
    True
    >>> ledger.sample("default/x", {"cpu": 2000}, now=5 * SECOND)
    >>> as_quantities(ledger.consumed("default/x"))
    {'cpu': '999999998n'}
    """

    __slots__ = ("_accounts", "rules")

    def __init__(self, rules: AdmissionFairSharing) -> None:
        self.rules = rules
        self._accounts: dict[str, UsageAccount] = {}

    # --- reading -----------------------------------------------------------------------

    def get(self, local_queue: str) -> UsageAccount | None:
        """Return a LocalQueue's account."""
        return self._accounts.get(local_queue)

    def consumed(self, local_queue: str) -> Amounts:
        """Return what a LocalQueue has used, faded."""
        account = self._accounts.get(local_queue)
        return {} if account is None else account.consumed

    def pending(self, local_queue: str) -> Amounts:
        """Return the sum of a LocalQueue's pending penalties."""
        account = self._accounts.get(local_queue)
        return {} if account is None else account.pending

    def usage(self, local_queue: str, weight: float, *, is_weighted: bool = True) -> float:
        """Return the number that orders LocalQueues: the lower, the sooner it is its turn.

        It is the sum over resources of weight times amount, pending penalties included,
        divided by the LocalQueue's weight; infinite where that weight is 0. If it is not
        ``is_weighted``, all resources weigh the same.
        """
        if weight <= 0:
            return inf
        account = self._accounts.get(local_queue)
        if account is None:
            return 0.0
        amounts = total(account.consumed, account.pending)
        weights = self.rules.resource_weights if is_weighted else {}
        usage = 0.0
        for name in sorted(amounts):
            usage += weights.get(name, 1.0) * (float(amounts[name]) * 1e-9)
        return usage / weight

    # --- keeping the books -------------------------------------------------------------

    def open(self, local_queue: str, history: Amounts, now: int) -> bool:
        """Open an account with the history in the status; tell whether there was one already.

        The history counts once, even if the account was opened by a penalty before.
        """
        account = self._accounts.get(local_queue)
        existed = account is not None
        if account is None:
            account = self._accounts[local_queue] = UsageAccount(now)
        if not account.knows_status:
            account.consumed = total(account.consumed, history)
            account.knows_status = True
        return existed

    def charge(
        self, local_queue: str, workload: str, requests: Mapping[str, int], now: int
    ) -> Amounts:
        """Charge the entry penalty of a workload whose quota was reserved; return it."""
        penalty = self.penalty(requests)
        self._account(local_queue, now).charge(workload, penalty)
        return penalty

    def penalty(self, requests: Mapping[str, int]) -> dict[str, int]:
        """Return what a workload would use in one sampling interval."""
        rules = self.rules
        share = faded_share(rules.usage_sampling_interval, rules.usage_half_life_time)
        return scaled(in_billionths(requests), share)

    def restate(
        self, local_queue: str, consumed: Amounts, penalties: Mapping[str, Amounts], updated: int
    ) -> None:
        """Replace an account by what a real cluster's objects say of it.

        Parameters
        ----------
        local_queue
            ``namespace/name`` of the LocalQueue.
        consumed
            What it has used.
        penalties
            The penalties that are not part of it, by workload.
        updated
            When it was brought up to date, in nanoseconds since 1970.
        """
        account = self._accounts[local_queue] = UsageAccount(updated)
        account.consumed, account.knows_status = dict(consumed), True
        for workload, penalty in penalties.items():
            account.charge(workload, penalty)

    def waive(self, local_queue: str, workload: str) -> Amounts | None:
        """Drop a penalty that will never be settled; return it, ``None`` if there is none."""
        account = self._accounts.get(local_queue)
        return None if account is None else account.waive(workload)

    def settle(
        self, local_queue: str, workload: str, current: Mapping[str, int], now: int
    ) -> Amounts | None:
        """Count an admitted workload's penalty as consumed; return it, if it has one.

        ``current`` is what the LocalQueue's admitted workloads use, this one included.
        """
        account = self._account(local_queue, now)
        account.fade(in_billionths(current), now, self.rules.usage_half_life_time)
        penalty = account.waive(workload)
        if penalty is not None:
            account.consumed = total(account.consumed, penalty)
        return penalty

    def sample(self, local_queue: str, current: Mapping[str, int], now: int) -> None:
        """Bring an account up to date. Without a half-life nothing is remembered."""
        account = self._account(local_queue, now)
        if self.rules.usage_half_life_time == 0:
            account.consumed = {}
            account.last_update = now
        else:
            account.fade(in_billionths(current), now, self.rules.usage_half_life_time)

    def close(self, local_queue: str) -> None:
        """Forget a LocalQueue that was deleted."""
        self._accounts.pop(local_queue, None)

    def _account(self, local_queue: str, now: int) -> UsageAccount:
        account = self._accounts.get(local_queue)
        if account is None:
            account = self._accounts[local_queue] = UsageAccount(now)
        return account
