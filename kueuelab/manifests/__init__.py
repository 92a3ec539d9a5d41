"""Manifests: YAML and JSON to the model and back.

`load` reads anything that ``kubectl apply`` takes and ``kubectl get`` prints. Mistakes are
reported together, each with object, field, file, line and what would be right.
"""

from kueuelab.manifests.decode import decode_configuration, decode_object
from kueuelab.manifests.encode import dump, encode_configuration, encode_object
from kueuelab.manifests.load import load, load_configuration, load_scenario, read_object
from kueuelab.manifests.result import Manifests, Note, cautions
from kueuelab.manifests.scenario import ScenarioSpec
from kueuelab.model import ModelObject

__all__ = [
    "Manifests",
    "ModelObject",
    "Note",
    "ScenarioSpec",
    "cautions",
    "decode_configuration",
    "decode_object",
    "dump",
    "encode_configuration",
    "encode_object",
    "load",
    "load_configuration",
    "load_scenario",
    "read_object",
]
