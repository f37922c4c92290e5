"""Transition systems in z3: their encoding, and the engines that ask a solver."""
