"""Small elements of many pages: messages, a job's progress, the request to send a text, and download buttons.

Messages may contain user text, which is shown verbatim, never interpreted as Markdown or HTML.
"""

import hashlib
from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunkers import InputError
from chunkers.contract import Estimate
from chunkers.language_models import Asking, LanguageModel
from chunkers.support import pluralize
from viz.components.browser_exchange import Component, Data
from viz.jobs import BackgroundJob

_notice = Component[Data]("seamark_notice", "components/notice.js", "components/notice.css", html="<p></p>")


def notice(text: str, tone: str = "info", *, key: str) -> None:
    """Draw a message box with ``text`` shown verbatim."""
    _notice(key=key, data={"text": text, "tone": tone})


def heading(text: str, *, key: str) -> None:
    """Draw ``text`` verbatim as the page's heading."""
    _notice(key=key, data={"text": text, "tone": "heading"})


def remark(text: str, *, key: str) -> None:
    """Draw ``text`` verbatim as a caption in small grey type."""
    _notice(key=key, data={"text": text, "tone": "remark"})


# The progress bar of a background job, with its cancel button.


@st.fragment(run_every=0.25)
def show_job_progress(
    job: BackgroundJob,
    news: Callable[[], bool] = bool,
    beside: Callable[[DeltaGenerator], None] = lambda _: None,
    key: str | None = None,
) -> None:
    """Draw a job's progress bar and cancel button; rerun the page when the job ends or ``news`` returns True.

    ``beside`` draws further buttons into the row; ``key`` distinguishes the cancel buttons of several jobs on a page.
    """
    if not job.running or job.cancelled() or news():
        st.rerun()
    share, status = job.progress()
    job_progress_row = st.container(horizontal=True, vertical_alignment="center")
    job_progress_row.progress(share, text=status)
    beside(job_progress_row)
    job_progress_row.button("Cancel", on_click=job.cancel, key=key and f"cancel/{key}", width="content")


# The request to send text to a language model.

SHORT_ANSWER = 20
"""Tokens assumed for an answer in cost estimates."""


def ask_to_send(
    what: str,
    asking: Asking,
    estimate: Estimate,
    answer_tokens: int,
    *,
    key: str,
    send: Callable[..., None],
    args: tuple[Any, ...] = (),
    also: tuple[LanguageModel, Estimate, int] | None = None,
    too: bool = False,
    formed: Asking | None = None,
    label: str = "Send",
) -> None:
    """Draw the destination, size and cost of requests to a language model, with the button that sends them.

    Parameters
    ----------
    what
        The beginning of the sentence, such as “llm” sends the text; “to HOST” and the proxy, if any, are appended.
    asking
        The language model.
    estimate
        The number of requests, and the tokens of all their prompts.
    answer_tokens
        Assumed tokens of one answer, added to those in ``estimate``.
    key
        Key of the notice and the button.
    send, args
        The callback of the button, and its arguments.
    also
        Another model of the same server that is also called, with its estimate and its answer tokens.
    too
        True to omit the destination, because the line above names it.
    formed
        The language model if its answers must follow a schema; None if all answers are free text. Unless it is known how the
        server treats schemas, finding out takes one more request.
    label
        The label of the button.
    """
    asked_language_model = asking.model
    estimate_per_model = [(asked_language_model, estimate, answer_tokens), *([also] if also is not None else [])]
    requests, tokens, reply_tokens = map(sum, zip(*[estimated for _, estimated, _ in estimate_per_model], strict=True))
    if formed is not None and not too:
        requests, tokens = requests + formed.probe_requests_and_tokens[0], tokens + formed.probe_requests_and_tokens[1]
    try:
        request_destination = asked_language_model.destination
    except InputError as error:
        notice(str(error), "error", key=f"send_{key}")
        return
    model_request_prices = [
        asked_model.price(estimated.tokens, estimated.requests * answer + estimated.answers)
        for asked_model, estimated, answer in estimate_per_model
    ]
    total_request_cost = None if None in model_request_prices else sum(filter(None, model_request_prices))
    asked_model_titles = [*dict.fromkeys(asked_model.title for asked_model, _, _ in estimate_per_model)]
    models_phrase = f"the model{'s' * (len(asked_model_titles) > 1)} {' and '.join(asked_model_titles)}"
    price_phrase = "no price is known" if total_request_cost is None else f"about ${total_request_cost:.4f}"
    limit, spent = asking.limit, asking.spent
    allowed_phrase = (
        "" if limit.tokens is None else f" Of the {limit.tokens:,} tokens that you allow {spent.tokens:,} are spent."
    )
    if limit.money is not None and total_request_cost is not None:
        allowed_phrase += f" Of the ${limit.money} that you allow ${spent.cost or 0:.4f} are spent."
    elif limit.money is not None:
        allowed_phrase += (
            f" You allow ${limit.money}: without a price nothing can be sent; take that limit away or name another."
        )
    replies_phrase = f", answered with about {reply_tokens:,} tokens" if reply_tokens else ""
    amount_note = f"about {tokens:,} tokens in {pluralize(requests, 'request')}{replies_phrase}"
    repeat_note, consent_note = "more if it has to be asked more often", f"Nothing is sent until you press “{label}”."
    # The button is next to the notice, so that the text below stays visible.
    with st.container(horizontal=True, vertical_alignment="center", key=f"sending_{key}"):
        notice(
            f"{what} there too: {amount_note}; {price_phrase}."
            if too
            else f"{what} to {request_destination}, to {models_phrase}: {amount_note}, {repeat_note}; {price_phrase}."
            f"{allowed_phrase} {consent_note}",
            key=f"send_{key}",
        )
        st.button(label, key=f"send/{key}", on_click=send, args=args, width="content")


# Download buttons whose file names are unique to their content.


def download_button(
    place: DeltaGenerator,
    label: str,
    data: Callable[[], str | bytes],
    name: str,
    mime: str,
    of: object,
    *,
    key: str | None = None,
    help: str | None = None,
    disabled: bool = False,
) -> None:
    """Draw a download button whose file name contains a digest of ``of``, the identity of the file's content.

    Streamlit identifies a large file by its name, its length and three samples of 64 KiB. Two files that differ elsewhere
    would be confused, and a session could receive another's file. The digest in the name prevents this.

    Parameters
    ----------
    data
        Builds the file on demand.
    name
        The file's name without the digest.
    of
        What determines the content, such as the identity of a text and a recipe; its ``repr`` is digested.
    """
    stem, dot, ending = name.partition(".")
    digest = hashlib.blake2b(repr(of).encode(errors="surrogatepass"), digest_size=6).hexdigest()
    place.download_button(
        label,
        data,
        f"{stem}-{digest}{dot}{ending}",
        mime,
        on_click="ignore",
        key=key,
        help=help,
        disabled=disabled,
        width="content",
    )
