"""The reference planner: production code that shares nothing with the model it is compared with."""
