"""The language model that the page's tests send to."""

import pytest

from tests.evaluation.answering.scripted import chat
from tests.server import ChatModelServer


@pytest.fixture
def http(serve):
    return serve(ChatModelServer, chat)
