"""Certificates: a proof by induction written down, so that others can check it without trusting who found it."""
