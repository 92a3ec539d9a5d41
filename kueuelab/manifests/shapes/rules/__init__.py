"""Rules among fields of what no API server judges, by the names that the tables give them."""

from collections.abc import Mapping
from typing import Final

from kueuelab.manifests.shapes.mistake import Rule
from kueuelab.manifests.shapes.rules.configuration import CONFIGURATION_RULES
from kueuelab.manifests.shapes.rules.metadata import METADATA_RULES
from kueuelab.manifests.shapes.rules.multikueue import MULTI_KUEUE_RULES
from kueuelab.manifests.shapes.rules.operation import OPERATION_RULES
from kueuelab.manifests.shapes.rules.scenario import SCENARIO_RULES

__all__ = ["RULES"]

#: Each looks at a value whose parts have the right types already.
RULES: Final[Mapping[str, Rule]] = {
    **METADATA_RULES,
    **CONFIGURATION_RULES,
    **MULTI_KUEUE_RULES,
    **OPERATION_RULES,
    **SCENARIO_RULES,
}
