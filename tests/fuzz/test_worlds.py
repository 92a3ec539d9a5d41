"""Random scenarios have what Kueue has: slices, claims of devices, variants."""

from __future__ import annotations

from hypothesis import Phase, given, settings

from kueuelab.testing.strategies import Manifest, scenarios


def test_random_scenarios_have_slices_claims_and_variants() -> None:
    seen: set[str] = set()

    @settings(max_examples=400, phases=[Phase.generate], derandomize=True, deadline=None)
    @given(scenarios())
    def look(scenario: Manifest) -> None:
        spec = scenario["spec"]
        seen.update(obj["kind"] for obj in spec["manifests"])
        gate = spec["configuration"].get("featureGates", {}).get("ConcurrentAdmission", False)
        for obj in spec["manifests"]:
            if "concurrentAdmissionPolicy" in obj.get("spec", {}) and gate:
                seen.add("variants")
        for action in spec["timeline"]:
            seen.update(name for name in ("elastic", "claims") if name in action.get("submit", {}))
            seen.update(name for name in ("scale",) if name in action)

    look()
    wanted = {"variants", "DeviceClass", "ResourceClaimTemplate", "elastic", "claims", "scale"}
    assert wanted <= seen
