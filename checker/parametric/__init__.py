"""Proofs over unbounded integers: obligations of a transition system, invariants of all numbers, and who finds them."""
