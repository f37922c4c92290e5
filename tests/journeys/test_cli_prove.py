"""`fenceproof prove` as a person runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import fenceproof, model_file  # type: ignore[import-not-found]
