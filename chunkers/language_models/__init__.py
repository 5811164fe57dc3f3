"""Language models behind a server: prompts, costs and a cache of answers."""

from chunkers.language_models.answer_cache import AnswerCache
from chunkers.language_models.answer_schemas_and_parsers import (
    ANSWER_TO_QUESTION,
    CONTEXT_SENTENCE_ANSWER,
    FREE_TEXT_ANSWER,
    MOST_EXCERPTS,
    QUESTION_WITH_EXCERPTS_ANSWER,
    SPLIT_PLACES_ANSWER,
    TOPIC_SHIFT_ANSWER,
    AnswerKind,
    QuestionWithExcerpts,
    ShiftAnswer,
    SplitsAnswer,
)
from chunkers.language_models.asking_until_usable import (
    MOST_ANSWER_RETRIES,
    UnusableAnswer,
    ask_until_usable,
    parse_json_answer,
    parse_last_line_of_answer,
)
from chunkers.language_models.base import UNRESTRICTED_ANSWER_SHAPE, AnswerShape, LanguageModel, Message, Reply
from chunkers.language_models.chat_server import (
    USUAL_LOCAL_SERVER_PORTS,
    ChatServer,
    LocalServer,
    SchemaRefused,
    find_local_servers,
)
from chunkers.language_models.prompts import (
    CONTEXT_SYSTEM_PROMPT,
    EARLIER_QUESTIONS_TEMPLATE,
    EXAMPLE_QUESTION,
    NO_EARLIER_QUESTIONS_PLACEHOLDER,
    PASSAGE_CONTEXT_REQUEST_TEMPLATE,
    QUESTION_WRITING_EXAMPLE,
    QUESTION_WRITING_PASSAGE_TEMPLATE,
    QUESTION_WRITING_SYSTEM_PROMPT,
    UNUSABLE_ANSWER_MESSAGE_TEMPLATE,
)
from chunkers.language_models.requests_within_spending_limit import (
    LEAST_UNUSABLE_TO_STOP,
    MOST_PARALLEL_CONVERSATIONS,
    USABILITY_CHECKED_ANSWER_COUNT,
    Asking,
    as_language_model_access,
    run_in_parallel,
)
from chunkers.language_models.spending import Ledger, Spending, SpendingLimit
