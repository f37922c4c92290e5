"""A test of a planner: random walks through the model, which the planner has to take too."""

from fenceproof.checker.conformance.stateful import machine
from fenceproof.specs.reference.memory import Memory as MyAdapter
from fenceproof.specs.variants import VARIANTS

TestPlanner = machine(VARIANTS["fenced"].model(), MyAdapter).TestCase
