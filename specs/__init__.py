"""Shipped models: the epoch-fence protocol and the variants of its planner."""

from .messages import Result
from .properties import Planner

__all__ = ["Planner", "Result"]
