"""Advice on manifests: what is valid, and yet hardly what was meant."""

from kueuelab.whatif.advice.advice import Advice, advise

__all__ = ["Advice", "advise"]
