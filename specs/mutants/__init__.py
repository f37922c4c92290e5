"""Mutants of the reference planner: each is one mistake that somebody could make in it."""
