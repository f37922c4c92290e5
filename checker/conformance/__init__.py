"""Conformance: whether an implementation does what a model does, by one of four ways, a file each.

`cover`: tests that take every transition. `exhaustive`: every behaviour of so many steps. `stateful`: a Hypothesis
state machine, which needs the extra `conform`. `logs`: whether a recorded run is a behaviour of the model.
"""
