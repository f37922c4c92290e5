"""A result for people and for machines, one file a format."""
