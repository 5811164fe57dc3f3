"""Errors whose message is one sentence for the user of the page or the command line."""


class InputError(ValueError):
    """Unusable input; the message names what is wrong, the rule and the value."""


class ParameterError(InputError):
    """A parameter that is unknown or breaks its declared rule."""


class ModelError(InputError):
    """A model or a tokenizer that is missing, changed or unusable."""


class Cancelled(Exception):
    """The user asked to stop; whatever was computed so far is in the cache."""
