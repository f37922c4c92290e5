"""Engines in processes of their own: one dies, hangs or grows, and the run goes on without it."""
