"""Requests to a language model: estimated, shown with their price and limit, and sent only after the user's consent."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import streamlit as st

from chunkers import InputError
from chunkers.contract import Estimate
from chunkers.language_models import Asking, LanguageModel
from chunkers.support import pluralize
from viz.components.page_elements import show_job_progress_or_error, show_notice, show_remark
from viz.controls import draw_button_and_return_press
from viz.jobs import Estimating, RequestCounter
from viz.state import session

GUESSED_SHORT_ANSWER_TOKENS = 20
"""Tokens assumed for an answer in cost estimates."""


@dataclass(frozen=True)
class ModelRequests:
    """The requests that some work, such as a run, would send to a language model.

    Attributes
    ----------
    subject
        The identity of the work, compared by value: an estimate that was counted for other work is not shown.
    asking
        The language model; None if none is named yet.
    estimate
        The number of requests, and the tokens of all their prompts; or a function that counts them in the background, once
        `start_run_or_count_requests` is called.
    sentence_start
        The beginning of the sentence, such as “llm” sends the text; “to HOST” and the proxy, if any, are appended.
    key
        Key of the notice and the button.
    answer_tokens
        Assumed tokens of one answer, added to those in the estimate.
    schema_model
        The language model if its answers must follow a schema; None if all answers are free text. Unless it is known how the
        server treats schemas, finding out takes one more request.
    other_model
        Another model of the same server that is also called, with its estimate and its answer tokens.
    label
        The label of the button.
    """

    subject: Hashable
    asking: Asking | None
    estimate: Estimate | RequestCounter
    sentence_start: str
    key: str
    answer_tokens: int = GUESSED_SHORT_ANSWER_TOKENS
    schema_model: Asking | None = None
    other_model: tuple[LanguageModel, Estimate, int] | None = None
    label: str = "Send"


ESTIMATE_WAIT_S = 0.2
"""Seconds to wait for an estimate before its progress is shown."""


def start_run_or_count_requests(requests: ModelRequests | None, start_run: Callable[[], None]) -> None:
    """Call ``start_run`` if nothing is sent to a language model; otherwise have the requests counted, for the consent.

    A ready estimate is shown by `draw_consent_once_estimated` without this.
    """
    if requests is None:
        start_run()
    elif requests.asking is not None and not isinstance(requests.estimate, Estimate):
        session.estimation_job = request_estimation_job = Estimating(requests.subject, requests.asking, requests.estimate)
        request_estimation_job.start(ESTIMATE_WAIT_S)


def draw_consent_once_estimated(
    requests_needing_consent: ModelRequests | None, start_run: Callable[[], None], *, omits_destination: bool = False
) -> bool:
    """Draw the estimated requests and the button that calls ``start_run``; return whether the estimate is ready.

    Nothing is drawn if no language model is named. If the requests must be counted, nothing is drawn before that was
    requested, or once the work or the language model has changed. Pass ``omits_destination`` if the line above already
    names the destination.
    """
    if requests_needing_consent is None or requests_needing_consent.asking is None:
        return False
    if isinstance(requests_needing_consent.estimate, Estimate):
        _draw_requests(
            requests_needing_consent,
            requests_needing_consent.asking,
            requests_needing_consent.estimate,
            start_run,
            omits_destination=omits_destination,
        )
        return True
    request_estimation_job = session.estimation_job
    if (
        request_estimation_job is None
        or request_estimation_job.subject != requests_needing_consent.subject
        or request_estimation_job.asking is not requests_needing_consent.asking
        or request_estimation_job.cancelled()
    ):
        return False
    is_estimating = show_job_progress_or_error(request_estimation_job, f"estimating_{requests_needing_consent.key}")
    if request_estimation_job.estimate is not None and not is_estimating:

        def start_run_after_consent() -> None:
            session.estimation_job = None
            start_run()

        _draw_requests(
            requests_needing_consent,
            requests_needing_consent.asking,
            request_estimation_job.estimate,
            start_run_after_consent,
            omits_destination=omits_destination,
        )
    return request_estimation_job.estimate is not None


def _draw_requests(
    requests: ModelRequests,
    model_access: Asking,
    estimate: Estimate,
    send_requests: Callable[[], None],
    *,
    omits_destination: bool,
) -> None:
    """Draw the destination, size and cost of the requests, with the button that sends them."""
    models_with_estimates = [
        (model_access.model, estimate, requests.answer_tokens),
        *([requests.other_model] if requests.other_model else []),
    ]
    request_count, sent_token_count, reply_token_count = map(
        sum, zip(*[estimated for _, estimated, _ in models_with_estimates], strict=True)
    )
    probe_request_count, probe_token_count = (
        (0, 0)
        if requests.schema_model is None or omits_destination
        else requests.schema_model.expected_probe_requests_and_tokens
    )
    try:
        request_destination = model_access.model.destination
    except InputError as error:
        show_notice(str(error), "error", key=f"send_{requests.key}")
        return
    model_request_prices = [
        asked_model.price_of_tokens(estimated.tokens, estimated.requests * answer + estimated.answers)
        for asked_model, estimated, answer in models_with_estimates
    ]
    total_request_cost = None if None in model_request_prices else sum(filter(None, model_request_prices))
    asked_model_titles = [*dict.fromkeys(asked_model.title for asked_model, _, _ in models_with_estimates)]
    models_phrase = f"the model{'s' * (len(asked_model_titles) > 1)} {' and '.join(asked_model_titles)}"
    price_phrase = "no price is known" if total_request_cost is None else f"about ${total_request_cost:.4f}"
    spending_limit, spent_tokens_and_money = model_access.limit, model_access.spent
    spending_limit_phrase = (
        ""
        if spending_limit.tokens is None
        else f" Of the {spending_limit.tokens:,} tokens that you allow {spent_tokens_and_money.tokens:,} are spent."
    )
    if spending_limit.money is not None and total_request_cost is not None:
        spending_limit_phrase += (
            f" Of the ${spending_limit.money} that you allow ${spent_tokens_and_money.cost or 0:.4f} are spent."
        )
    elif spending_limit.money is not None:
        spending_limit_phrase += (
            f" You allow ${spending_limit.money}: without a price nothing can be sent; take that limit away or name another."
        )
    reply_tokens_phrase = f", answered with about {reply_token_count:,} tokens" if reply_token_count else ""
    requests_phrase = pluralize(request_count + probe_request_count, "request")
    request_amount_phrase = (
        f"about {sent_token_count + probe_token_count:,} tokens in {requests_phrase}{reply_tokens_phrase}"
    )
    # The button is next to the notice, so that the text below stays visible.
    with st.container(horizontal=True, vertical_alignment="center", key=f"sending_{requests.key}"):
        show_notice(
            f"{requests.sentence_start} there too: {request_amount_phrase}; {price_phrase}."
            if omits_destination
            else f"{requests.sentence_start} to {request_destination}, to {models_phrase}: {request_amount_phrase}, "
            f"more if it has to be asked more often; {price_phrase}.{spending_limit_phrase} "
            f"Nothing is sent until you press “{requests.label}”.",
            key=f"send_{requests.key}",
        )
        st.button(requests.label, key=f"send/{requests.key}", on_click=send_requests, width="content")


def draw_run_button_row(
    requests: ModelRequests | None,
    start_run: Callable[[], None],
    sentence: str,
    sentence_key: str,
    button_key: str,
    *,
    can_start_run: bool,
) -> None:
    """Draw the button that starts a run, a sentence next to it, and the consent that the run's requests need.

    The button is disabled unless the run can start.
    """
    run_button_container = st.container(horizontal=True, vertical_alignment="center")
    if (
        draw_button_and_return_press(run_button_container, "Run", button_key, disabled=not can_start_run, type="primary")
        and can_start_run
    ):
        start_run_or_count_requests(requests, start_run)
        st.rerun()
    with run_button_container:
        show_remark(sentence, key=sentence_key)
    draw_consent_once_estimated(requests, start_run)
