"""SARIF 2.1.0 as far as reports use it, as a JSON schema: written after the specification (OASIS, sections 3.13 to 3.58).

The objects have the properties that reports have and no others, with the types, the values and the least values that the
specification gives them; what it requires is required.
"""


def an_object(required, /, **properties):
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def items(of, unique=False):
    return {"type": "array", "items": of, "uniqueItems": unique}


TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 1}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
MESSAGE = an_object(["text"], text=TEXT)
RULE = an_object(
    ["id"],
    id=TEXT,
    shortDescription=MESSAGE,
    fullDescription=MESSAGE,
    help=MESSAGE,
    defaultConfiguration=an_object([], level=LEVEL),
)
REGION = an_object(["startLine"], startLine=COUNT, startColumn=COUNT, endLine=COUNT, endColumn=COUNT)
PHYSICAL = an_object(
    ["artifactLocation"], artifactLocation=an_object([], uri={"type": "string", "format": "uri-reference"}), region=REGION
)
RESULT = an_object(
    ["message"],
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": -1},
    level=LEVEL,
    message=MESSAGE,
    locations=items(an_object([], physicalLocation=PHYSICAL)),
    partialFingerprints={"type": "object", "additionalProperties": TEXT},
    suppressions=items(an_object(["kind"], kind={"enum": ["inSource", "external"]}), unique=True),
)
INVOCATION = an_object(
    ["executionSuccessful"],
    executionSuccessful={"type": "boolean"},
    exitCode={"type": "integer"},
    toolExecutionNotifications=items(an_object(["message"], level=LEVEL, message=MESSAGE), unique=True),
)
RUN = an_object(
    ["tool"],
    tool=an_object(["driver"], driver=an_object(["name"], name=TEXT, version=TEXT, rules=items(RULE, unique=True))),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    invocations=items(INVOCATION, unique=True),
    results=items(RESULT),
)
SCHEMA = {
    **an_object(["version", "runs"], version={"enum": ["2.1.0"]}, runs=items(RUN)),
    "$schema": "https://json-schema.org/draft/2020-12/schema",
}
SCHEMA["properties"]["$schema"] = {"type": "string", "format": "uri"}
