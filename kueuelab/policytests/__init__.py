"""Policies under test: scenarios with expectations, run on each change of a configuration."""

from kueuelab.policytests.files import PolicyFile, find
from kueuelab.policytests.junit import junit_xml
from kueuelab.policytests.updating import update
from kueuelab.policytests.verdicts import Verdict, name_of

__all__ = [
    "PolicyFile",
    "Verdict",
    "find",
    "junit_xml",
    "name_of",
    "update",
]
