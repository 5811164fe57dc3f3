"""What a retrieval run sends to a language model: said before it, and allowed by the user."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from chunkers.language_models.asking import Asking
from viz.jobs.plan import Plan
from viz.jobs.retrieval import estimate_of_plan
from viz.shell.consent import first_estimate, show_consent
from viz.shell.progress import SHORT_ANSWER
from viz.theme.numbers import counted


def if_allowed(plan: Plan, asking: Asking | None, token: str, run: Callable[[], None]) -> None:
    """Run at once what asks no language model; find out first what another run would send.

    ``token`` is that of the run that goes on; empty for a new one.
    """
    if not plan.asks:
        run()
    elif asking is not None:
        first_estimate((plan, token), asking, partial(estimate_of_plan, plan), run)


def ask_to_run(plan: Plan | None, asking: Asking | None, token: str = "") -> None:
    """Draw what the run would send that is about to start, with the button that starts it."""
    if plan is not None and plan.asks:
        said = f"This run sends {counted(len(plan.material.texts), 'document')}"
        show_consent((plan, token), asking, said, SHORT_ANSWER, f"run{token}")
