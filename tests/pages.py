"""What tests of several pages ask of them."""

from viz.background import registry
from viz.sweeping import Sweep


def sweep_of(app):
    """Return the sweep that the link of the Tune page leads to, or None."""
    return registry().find(app.session_state["choices/tune"].extra["run"], Sweep)
