"""One declaration of a form gives its schema, the words that ask for it and what is read."""

import json

import jsonschema
import pytest

from chunkers.language_models import answer_schemas_and_parsers, prompts
from chunkers.language_models.asking_until_usable import parse_json_answer

SYSTEMS = {
    prompts.PROPOSITIONS_SYSTEM_PROMPT: answer_schemas_and_parsers.PROPOSITIONS_ANSWER,
    prompts.GROUPS_SYSTEM_PROMPT: answer_schemas_and_parsers.GROUP_PLACEMENTS_ANSWER,
    prompts.QUESTION_WRITING_SYSTEM_PROMPT: answer_schemas_and_parsers.QUESTION_WITH_EXCERPTS_ANSWER,
    prompts.FAITHFULNESS_SYSTEM_PROMPT: answer_schemas_and_parsers.FAITHFULNESS_JUDGEMENT_ANSWER,
    prompts.RELEVANCY_SYSTEM_PROMPT: answer_schemas_and_parsers.RELEVANCY_JUDGEMENT_ANSWER,
    prompts.CORRECTNESS_SYSTEM_PROMPT: answer_schemas_and_parsers.CORRECTNESS_JUDGEMENT_ANSWER,
}
KINDS = [*SYSTEMS.values(), answer_schemas_and_parsers.SPLIT_PLACES_ANSWER, answer_schemas_and_parsers.TOPIC_SHIFT_ANSWER]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.form.__name__)
def test_the_example_in_the_prompt_is_read_and_allowed_by_the_schema(kind):
    begun = kind.form.wording()
    example, _ = json.JSONDecoder().raw_decode(begun, begun.index("{"))
    assert parse_json_answer(json.dumps(example), kind.form)
    jsonschema.validate(example, kind.schema)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.form.__name__)
def test_the_schema_keeps_to_what_servers_take(kind):
    """OpenAI's strict schemas have every field required and no other field; grammars want no references."""

    def check(schema):
        assert {*schema} <= {
            *("type", "properties", "required", "additionalProperties", "items", "anyOf", "enum"),
            *("minItems", "maxItems", "minLength", "maxLength"),
        }
        if schema.get("type") == "object":
            assert schema["required"] == [*schema["properties"]]
            assert schema["additionalProperties"] is False
        if schema.get("type") == "array":
            assert schema["maxItems"]
        for part in [*schema.get("properties", {}).values(), *schema.get("anyOf", []), *filter(None, [schema.get("items")])]:
            check(part)

    check(kind.schema)


def test_every_prompt_asks_for_its_form():
    for system, kind in SYSTEMS.items():
        assert kind.form.wording() in system
    assert prompts.SPLITS_SYSTEM_PROMPT.endswith(answer_schemas_and_parsers.SplitsAnswer.wording_for_single_line())
    assert prompts.SHIFT_SYSTEM_PROMPT.endswith(answer_schemas_and_parsers.ShiftAnswer.wording_for_single_line())


def test_a_request_narrows_the_numbers_of_the_schema():
    kind = answer_schemas_and_parsers.PROPOSITIONS_ANSWER.copy_with_answer_limits({"sentence": (4, 6)}, 70)
    stated = kind.schema["properties"]["propositions"]["items"]["properties"]
    assert kind.most_tokens == 70
    assert stated["sentence"] == {"type": "integer", "enum": [4, 5, 6]}
    assert answer_schemas_and_parsers.SPLIT_PLACES_ANSWER.copy_with_answer_limits({"split_after": (1, 2)}).schema[
        "properties"
    ]["split_after"]["items"]["enum"] == [
        1,
        2,
    ]
    assert (
        "enum"
        not in answer_schemas_and_parsers.SPLIT_PLACES_ANSWER.copy_with_answer_limits({"split_after": (1, 9_999)}).schema[
            "properties"
        ]["split_after"]["items"]
    )
    # Without chunks so far, a proposition can only go into a new one.
    chunk = answer_schemas_and_parsers.GROUP_PLACEMENTS_ANSWER.copy_with_answer_limits({"chunk": (0, -1)}).schema[
        "properties"
    ]["chunks"]["items"]["properties"]["chunk"]
    assert chunk == {"type": "null"}


def test_the_stops_of_a_kind_are_how_its_question_goes_on():
    questions = [
        (answer_schemas_and_parsers.SPLIT_PLACES_ANSWER, prompts.SPLITS_PIECE_TEMPLATE),
        (answer_schemas_and_parsers.TOPIC_SHIFT_ANSWER, prompts.SHIFT_QUESTION_TEMPLATE),
        (answer_schemas_and_parsers.PROPOSITIONS_ANSWER, prompts.PROPOSITIONS_QUESTION_TEMPLATE),
        (answer_schemas_and_parsers.GROUP_PLACEMENTS_ANSWER, prompts.GROUPS_QUESTION_TEMPLATE),
        (answer_schemas_and_parsers.QUESTION_WITH_EXCERPTS_ANSWER, prompts.QUESTION_WRITING_PASSAGE_TEMPLATE),
        (answer_schemas_and_parsers.ANSWER_TO_QUESTION, prompts.ANSWER_QUESTION_TEMPLATE),
        (answer_schemas_and_parsers.FAITHFULNESS_JUDGEMENT_ANSWER, prompts.FAITHFULNESS_QUESTION_TEMPLATE),
        (answer_schemas_and_parsers.RELEVANCY_JUDGEMENT_ANSWER, prompts.RELEVANCY_QUESTION_TEMPLATE),
        (answer_schemas_and_parsers.CORRECTNESS_JUDGEMENT_ANSWER, prompts.CORRECTNESS_QUESTION_TEMPLATE),
        (answer_schemas_and_parsers.CONTEXT_SENTENCE_ANSWER, prompts.PASSAGE_CONTEXT_REQUEST_TEMPLATE),
    ]
    for kind, question in questions:
        assert any(stop.strip() in question for stop in kind.stop), kind
