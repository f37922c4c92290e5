"""What ends a service with a message for a person."""

from __future__ import annotations


class ServiceError(RuntimeError):
    """The surroundings are not as the service needs them: a port in use, a database that cannot be written."""
