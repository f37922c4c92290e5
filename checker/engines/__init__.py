"""The engines: each answers what a transition system does, within limits."""
