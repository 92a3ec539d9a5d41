"""Scenarios are in the order of the numbers in their names."""

from kueuelab import scenarios


def test_numbers_in_names_are_in_their_order() -> None:
    found = [name for name in scenarios.names() if name.startswith("topology-")]
    numbers = [int(name.split("-")[1]) for name in found]
    assert len(numbers) > 9
    assert numbers == sorted(numbers)
