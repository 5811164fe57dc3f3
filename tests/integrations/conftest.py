"""Haystack reports its use to its makers unless it is told not to; it reads this when it is imported."""

import os

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
