"""Names of models in their written forms."""

import pytest

from chunkers.embedders import EMBEDDER_DESCRIPTIONS
from chunkers.support import InputError, ModelName


@pytest.mark.parametrize(
    ("written", "name"),
    [
        *((name, ("", name)) for name in EMBEDDER_DESCRIPTIONS),
        ("maker/model", ("", "maker/model")),
        (r"C:\models\mine", ("", r"C:\models\mine")),
        ("openai", ("", "openai")),
        ("", ("", "")),
        (":x", ("", ":x")),
        ("openai:", ("openai", "")),
        ("openai:llama3:8b", ("openai", "llama3:8b")),
        ("openai:openai:x", ("openai", "openai:x")),
        ("openai: x ", ("openai", " x ")),
        ("spacy:en_core_web_md", ("spacy", "en_core_web_md")),
        ("own:tfidf", ("own", "tfidf")),
    ],
)
def test_a_name_is_written_as_it_was_read(written, name):
    assert ModelName.parse(written) == name
    assert str(ModelName.parse(written)) == f"{ModelName.parse(written)}" == written


@pytest.mark.parametrize("entered", ["llama3:8b", "openai:llama3:8b", " openai:llama3:8b\n"])
def test_a_user_may_leave_out_the_provider_of_a_model_on_a_server(entered):
    assert str(ModelName.parse_entered_server_model(entered)) == "openai:llama3:8b"


def test_a_name_may_contain_spaces_before_its_revision():
    assert ModelName.without_revision("openai:my model 0a1b") == ("openai", "my model")


@pytest.mark.parametrize("written", ["spacy:x", "x", "openai:", "openai: "])
def test_another_provider_or_a_blank_name_is_refused(written):
    with pytest.raises(InputError, match=f"^embedder must be openai: followed by the name of a model; got '{written}'.$"):
        ModelName.parse(written).name_at_required_provider("openai", "embedder", "a model")
    assert ModelName.parse("openai:x").name_at_required_provider("openai", "embedder", "a model") == "x"
