"""Notice of destination, estimated size and cost before text is sent to a language model, with the button that sends it."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from chunkers import InputError
from chunkers.contract.base import Estimate
from chunkers.language_models.asking import Asking
from chunkers.language_models.base import LanguageModel
from viz.components.notice import notice
from viz.theme.numbers import counted

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
    model = asking.model
    asked = [(model, estimate, answer_tokens), *([also] if also is not None else [])]
    requests, tokens, answers = map(sum, zip(*[estimated for _, estimated, _ in asked], strict=True))
    if formed is not None and not too:
        requests, tokens = requests + formed.probes[0], tokens + formed.probes[1]
    try:
        destination = model.destination
    except InputError as error:
        notice(str(error), "error", key=f"send_{key}")
        return
    prices = [
        asked_model.price(estimated.tokens, estimated.requests * answer + estimated.answers)
        for asked_model, estimated, answer in asked
    ]
    cost = None if None in prices else sum(filter(None, prices))
    names = [*dict.fromkeys(asked_model.title for asked_model, _, _ in asked)]
    models = f"the model{'s' * (len(names) > 1)} {' and '.join(names)}"
    price = "no price is known" if cost is None else f"about ${cost:.4f}"
    limit, spent = asking.limit, asking.spent
    allowed = "" if limit.tokens is None else f" Of the {limit.tokens:,} tokens that you allow {spent.tokens:,} are spent."
    if limit.money is not None and cost is not None:
        allowed += f" Of the ${limit.money} that you allow ${spent.cost or 0:.4f} are spent."
    elif limit.money is not None:
        allowed += f" You allow ${limit.money}: without a price nothing can be sent; take that limit away or name another."
    replies = f", answered with about {answers:,} tokens" if answers else ""
    much = f"about {tokens:,} tokens in {counted(requests, 'request')}{replies}"
    often, until = "more if it has to be asked more often", f"Nothing is sent until you press “{label}”."
    # The button is next to the notice, so that the text below stays visible.
    with st.container(horizontal=True, vertical_alignment="center", key=f"sending_{key}"):
        notice(
            f"{what} there too: {much}; {price}."
            if too
            else f"{what} to {destination}, to {models}: {much}, {often}; {price}.{allowed} {until}",
            key=f"send_{key}",
        )
        st.button(label, key=f"send/{key}", on_click=send, args=args, width="content")
