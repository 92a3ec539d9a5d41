"""Role hashes, against JSON as Go writes it."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from kueuelab.manifests.jobs.role_hash import role_hash

TOLERATIONS = (
    '[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute",'
    '"tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable","operator":"Exists",'
    '"effect":"NoExecute","tolerationSeconds":300}]'
)


def go_hash(**fields: str) -> str:
    """Hash a pod's shape, of which ``fields`` are JSON."""
    shape = {
        "affinity": "null",
        "containers": '[{"ports":null,"resources":{"requests":null}}]',
        "initContainers": "null",
        "nodeSelector": "null",
        "overhead": "null",
        "priority": "0",
        "resourceClaims": "null",
        "runtimeClassName": "null",
        "tolerations": TOLERATIONS,
        "topologySpreadConstraints": "null",
        **fields,
    }
    inner = ",".join(f'"{name}":{shape[name]}' for name in sorted(shape))
    text = '{"spec":{' + inner + "}}"
    json.loads(text)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def hash_of(**spec: Any) -> str:
    return role_hash({"containers": [{"name": "c"}], **spec}, priority=0, overhead={})


def test_nothing_but_defaults() -> None:
    assert hash_of() == go_hash()


def test_fields_come_in_the_order_of_structs_and_maps_are_sorted() -> None:
    affinity = {
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {
                    "topologyKey": "zone",
                    "labelSelector": {"matchLabels": {"b": "2", "a": "1"}},
                    "namespaceSelector": {},
                }
            ]
        },
        "nodeAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {
                    "preference": {
                        "matchExpressions": [{"values": ["x"], "key": "k", "operator": "In"}]
                    },
                    "weight": 1,
                }
            ]
        },
    }
    expected = (
        '{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,'
        '"preference":{"matchExpressions":[{"key":"k","operator":"In","values":["x"]}]}}]},'
        '"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":'
        '{"matchLabels":{"a":"1","b":"2"}},"topologyKey":"zone","namespaceSelector":{}}]}}'
    )
    assert hash_of(affinity=affinity) == go_hash(affinity=expected)


def test_spread_constraints_have_an_order_of_their_own() -> None:
    constraint = {
        "labelSelector": {"matchLabels": {"app": "x"}},
        "whenUnsatisfiable": "DoNotSchedule",
        "topologyKey": "zone",
        "maxSkew": 1,
    }
    expected = (
        '[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule",'
        '"labelSelector":{"matchLabels":{"app":"x"}}}]'
    )
    assert hash_of(topologySpreadConstraints=[constraint]) == go_hash(
        topologySpreadConstraints=expected
    )


def test_html_is_escaped_as_go_does() -> None:
    expected = '{"a":"\\u003cb\\u003e"}'
    assert hash_of(nodeSelector={"a": "<b>"}) == go_hash(nodeSelector=expected)


def test_own_tolerations_come_first_and_stand_in_for_the_default_ones() -> None:
    everything = [{"operator": "Exists"}]
    assert hash_of(tolerations=everything) == go_hash(tolerations='[{"operator":"Exists"}]')


def test_ports_and_quantities_have_their_defaults_and_canonical_form() -> None:
    container = {
        "name": "c",
        "ports": [{"containerPort": 80, "name": "http"}],
        "resources": {"limits": {"memory": "1024Mi"}, "requests": {"cpu": "0.5"}},
    }
    expected = (
        '[{"ports":[{"name":"http","containerPort":80,"protocol":"TCP"}],'
        '"resources":{"requests":{"cpu":"500m","memory":"1Gi"}}}]'
    )
    assert hash_of(containers=[container]) == go_hash(containers=expected)
