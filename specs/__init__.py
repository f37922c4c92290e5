"""Shipped models: the epoch-fence protocol and the variants of its planner."""

from .properties import Planner
from .protocol import Result

__all__ = ["Planner", "Result"]
