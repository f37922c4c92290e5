"""The checker: engines, verdicts, reports and the command line."""
