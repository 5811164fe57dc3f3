"""Runs of answers: estimated, begun or continued by a button that says what is sent, and reopened by their links."""

from functools import partial

import streamlit as st

from chunkers import Embedder, InputError
from chunkers.language_models.asking import Asking
from evaluation.answering.answer import ANSWER_TOKENS, Context
from evaluation.answering.questions import Item
from evaluation.answering.results import Estimates, Remaining, Result, Sizes, estimates, remaining_requests, reusable_results
from viz.answers.model_choice import judge_of, scores_bert
from viz.components.notice import remark
from viz.components.sending_notice import ask_to_send
from viz.jobs.answering.job import Answering, Gathering
from viz.jobs.answering.plan import AnswerPlan, KeptAnswers, Models
from viz.jobs.background import new_token, registry
from viz.shell.linked_runs import ENDING_S, RUN, Lost, begin, find_kept, new_keeper, say_missing, show_kept
from viz.state.choices import Choices
from viz.state.models import identity_of
from viz.state.session_state import session
from viz.theme.numbers import counted


def models_of(choices: Choices, asking: Asking) -> Models:
    """Return the identities of the answering and the judging model chosen on the page."""
    return Models(identity_of(asking), identity_of(judge_of(choices, asking)))


def show_send_row(choices: Choices, gathering: Gathering, embedder: Embedder, asking: Asking, run: Answering | None) -> None:
    """Draw a run's estimated requests and the button that sends them, unless the run is in progress or complete."""
    sizes, plan, judge, models = gathering.sizes, gathering.plan, judge_of(choices, asking), models_of(choices, asking)
    if sizes is None or (run is not None and ((run.running and not run.cancelled) or _is_complete(run, plan, models))):
        return

    def send() -> None:
        _begin(choices, gathering, embedder, asking, judge, run)

    estimated = _estimates_left(gathering, sizes, _reusable_results(run, gathering, models), asking, judge)
    if not estimated.requests:
        row = st.container(horizontal=True, vertical_alignment="center")
        row.button("Run", key="answers/run", on_click=send, type="primary")
        with row:
            remark("All of this was answered before: nothing is sent.", key="answers_nothing_left")
        return
    answers = len(plan.names) * len(plan.items)
    judging = None if judge is None else (judge.model, estimated.judgements, ANSWER_TOKENS)
    ask = partial(ask_to_send, _requests_in_words(plan, estimated, answers), key="answers_run", send=send, formed=judge)
    if judge is not None and not estimated.answers.requests:
        ask(judge, estimated.judgements, ANSWER_TOKENS)
    else:
        ask(asking, estimated.answers, ANSWER_TOKENS, also=judging)


def _is_complete(run: Answering, plan: AnswerPlan, models: Models) -> bool:
    """Return whether a run already has every result that would be requested."""
    return run.whole and run.plan == plan and not run.models.changed(models) and (run.bert or not scores_bert())


def _requests_in_words(plan: AnswerPlan, about: Estimates, total: int) -> str:
    """Describe the requests that would be sent."""
    answers, judgements = about.answers.requests, about.judgements.requests
    if answers == total:
        rows = f" and for {counted(len(plan.trivial), 'trivial row')}" if plan.trivial else ""
        chunks = f"the chunks of {counted(len(plan.tasks), 'chunker')}{rows}"
        return f"“Answers” sends {counted(len(plan.items), 'question')} with {chunks}"
    left = [f"{answers:,} of {total:,} answers"] * bool(answers) + [counted(judgements, "judgement")] * bool(judgements)
    return f"“Answers” sends what is left, {' and '.join(left)},"


def _reusable_results(run: Answering | None, gathering: Gathering, models: Models) -> dict[tuple[int, int], Result]:
    """Return the results that the run on the page and a new run have in common."""
    plan = gathering.plan
    if run is None or run.models.answers != models.answers or not run.plan.same_embedder(plan):
        return {}
    same = run.models.judge == models.judge
    return reusable_results([*run.results.copy().values()], plan.items, gathering.found, same_judge=same)


def _estimates_left(
    gathering: Gathering, sizes: Sizes, before: dict[tuple[int, int], Result], asking: Asking, judge: Asking | None
) -> Estimates:
    def left(place: tuple[int, int], item: Item, context: Context) -> Remaining:
        return remaining_requests(item, context, before.get(place), asking, judge)

    return estimates(gathering.plan.items, gathering.found, sizes, left)


def _begin(
    choices: Choices, gathering: Gathering, embedder: Embedder, asking: Asking, judge: Asking | None, run: Answering | None
) -> None:
    """Begin a run, or go on with the one on the page under its link."""
    plan, models, words = gathering.plan, models_of(choices, asking), choices.extra
    if run is not None:
        run.cancel()
        run.join(ENDING_S)
    continues = run is not None and run.plan == plan and run.models == models
    token = words[RUN] if continues else new_token()
    kept = run.kept if run is not None and continues else None
    keeper = new_keeper(token, KeptAnswers)
    if kept is None and keeper is not None:
        kept = KeptAnswers.of(keeper, plan, gathering.chunkings, models)
    job = Answering(
        plan,
        gathering.chunkings[0].document,
        gathering.found.copy(),
        models,
        asking,
        judge,
        embedder,
        session.on_disk,
        scores_bert(),
        kept,
        _reusable_results(run, gathering, models),
    )
    begin(words, job, token)


def find_run(token: str, gathering: Gathering | None, embedder: Embedder | None) -> Answering | None:
    """Return the run of answers that the link names, or None; draw the reason if the run cannot be shown.

    Parameters
    ----------
    token
        The token in the link; empty if the link has none.
    gathering
        The chunks retrieved for the current choices; a run on disk is shown with them if its plan is the same.
    """
    run = registry().find(token, Answering, session.runs)
    kept = find_kept(token, KeptAnswers) if run is None else None
    if kept is None:
        return run
    if not isinstance(kept, Lost):
        try:
            return _reopened(kept, gathering, embedder)
        except InputError as error:
            kept = Lost(str(error), "error")
    kept.show("answers")
    return None


def _reopened(kept: KeptAnswers, gathering: Gathering | None, embedder: Embedder | None) -> Answering | None:
    """Load a run from disk and register it for all sessions; return None and draw the mismatch if the plan differs."""
    missing = kept.missing(None) if gathering is None else kept.missing(gathering.plan, gathering.chunkings)
    if missing:
        other = ", ".join(missing)
        say_missing(kept, f"To see them, give again what it was begun with. Other than now: {other}.", "answers")
        return None
    if gathering is None or gathering.sizes is None or embedder is None:
        return None
    kept.keeper.check_embedder(embedder)
    plan, gathered = gathering.plan, gathering.found.copy()
    document = gathering.chunkings[0].document
    results = kept.found(gathered, plan.items)
    run = Answering(plan, document, gathered, kept.models, None, None, embedder, True, kept=kept, results=results)
    show_kept(kept, run)
    return run
