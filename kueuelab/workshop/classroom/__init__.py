"""A class: learners send what they checked, and the instructor sees a board of it.

Nothing is sent without the address that the instructor gives out. An attempt is kept in the
learner's folder until the server has stored it; its id makes sure that it counts once.
"""

from __future__ import annotations

from kueuelab.workshop.classroom.attempt import Attempt
from kueuelab.workshop.classroom.membership import ClassAddress, Membership

__all__ = ["Attempt", "ClassAddress", "Membership"]
