"""Language models behind a server: prompts, costs and a cache of answers."""

from chunkers.language_models.answer_cache import AnswerCache
from chunkers.language_models.answer_forms import (
    ANSWER_IN_WORDS,
    ANY_WORDS,
    CHUNK_SPLITS,
    CONTEXT_SENTENCE,
    MOST_EXCERPTS,
    QUESTION_WITH_EXCERPTS,
    TOPIC_SHIFT,
    AnswerKind,
    QuestionWithExcerpts,
    ShiftAnswer,
    SplitsAnswer,
)
from chunkers.language_models.asking_until_usable import (
    MOST_REPEATS,
    UnusableAnswer,
    parse_json_answer,
    parse_line_answer,
    usable_answer,
)
from chunkers.language_models.base import ANY_SHAPE, AnswerShape, LanguageModel, Message, Reply
from chunkers.language_models.chat_server import USUAL_PORTS, ChatServer, LocalServer, SchemaRefused, find_local_servers
from chunkers.language_models.prompts import (
    ASK_AGAIN,
    CONTEXT_QUESTION,
    CONTEXT_SYSTEM,
    EXAMPLE_QUESTION,
    NO_QUESTIONS,
    QUESTION_EXAMPLE,
    QUESTION_PASSAGE,
    QUESTION_SYSTEM,
    QUESTIONS_BEFORE,
)
from chunkers.language_models.requests_within_spending_limit import (
    FIRST_ANSWER_COUNT,
    LEAST_UNUSABLE_TO_STOP,
    MOST_PARALLEL_CONVERSATIONS,
    Asking,
    as_asking,
    run_in_parallel,
)
from chunkers.language_models.spending import Ledger, Spending, SpendingLimit
