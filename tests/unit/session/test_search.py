"""One letter more in the search of the table is searched for among what was found."""

from __future__ import annotations

from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from kueuelab import scenarios
from kueuelab.messages import english
from kueuelab.session.commands import Workloads
from kueuelab.session.opened_input import OpenedInput
from kueuelab.session.run_facts import RunFacts
from kueuelab.session.workload_table import workload_page
from kueuelab.whatif.lab import Lab

NAME = scenarios.dumps()[0]
TYPED = st.text("abejobtm-1 /Q", max_size=6)


@cache
def facts() -> RunFacts:
    return RunFacts(Lab(OpenedInput(scenarios.dump(NAME)).spec()).run(), english())


@given(st.lists(st.tuples(TYPED, st.sampled_from(["", "Pending", "Admitted"])), max_size=6))
def test_what_is_found_does_not_depend_on_what_was_asked_before(
    questions: list[tuple[str, str]],
) -> None:
    known = facts()
    for search, phase in questions:
        asked = Workloads(search=search, phase=phase, count=500)
        found = workload_page(known, asked)
        known.shown, known.matching = (None, None), (None, "", ())
        assert workload_page(known, asked) == found


def test_each_word_is_looked_for_in_the_names_and_in_the_reason() -> None:
    known = facts()
    rows = workload_page(known, Workloads(count=500)).rows
    row = next(each for each in rows if each.why)
    word = row.why.split()[0].upper()
    found = workload_page(known, Workloads(search=f"{row.name} {word}", count=500)).rows
    assert row in found
    assert all(row.name in each.workload for each in found)
