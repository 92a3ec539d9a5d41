"""Exercises that check themselves: learn Kueue by changing settings and seeing what comes of it.

Examples
--------
>>> from kueuelab import workshop
>>> "within-a-team" in workshop.names()
True
"""

from kueuelab.workshop.course_map import ExerciseMap, exercise_map
from kueuelab.workshop.exercise import Exercise
from kueuelab.workshop.feedback import Feedback
from kueuelab.workshop.library import exercise, names, specs
from kueuelab.workshop.progress import Progress

__all__ = [
    "Exercise",
    "ExerciseMap",
    "Feedback",
    "Progress",
    "exercise",
    "exercise_map",
    "names",
    "specs",
]
