"""Toy models."""
