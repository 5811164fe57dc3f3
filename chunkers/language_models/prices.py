"""Prices of tokens, from the table that comes with ``genai-prices``; the table is never updated over the network."""

from __future__ import annotations

from decimal import Decimal


def price(model: str, address: str, tokens_in: int, tokens_out: int) -> Decimal | None:
    """Return the price of a request in US dollars; None if the table has no price for this model at this server.

    Parameters
    ----------
    model
        The model's name on the server.
    address
        The server's base address: prices differ between servers, and are unknown for a user's own server.
    tokens_in, tokens_out
        Numbers of tokens that the model reads and writes.
    """
    # Imported late: the table takes a while to load, and most never ask a model.
    from genai_prices import Usage, calc_price

    try:
        calculation = calc_price(Usage(input_tokens=tokens_in, output_tokens=tokens_out), model, provider_api_url=address)
    except (LookupError, ValueError):
        return None
    return calculation.total_price
