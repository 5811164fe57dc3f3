"""Two short documents in place of the bundled ones, for runs that ask a language model."""

from types import SimpleNamespace

from viz.jobs.retrieval_plan import RunMaterial
from viz.retrieval import documents_and_questions, page

TEXTS = {
    "birds.txt": "The heron waits in the reeds. It eats fish and frogs.\n\nThe owl hunts at night. It hears a mouse.",
    "sea.txt": "The tide turns twice a day. It is salt.\n\nThe lamp shines far over the water at night.",
}


def offer(monkeypatch, questions):
    """Put them in place, with a file of questions, and let the environment name no server; return them.

    The bundled run is of other documents, so the page opens without it. Drawing it takes longer than the rest of the page.
    """
    small = RunMaterial(tuple(TEXTS.items()), ("questions.csv", questions), own=False)
    for module in (page, documents_and_questions):
        monkeypatch.setattr(module, "bundled_documents_and_questions", lambda: small)
    monkeypatch.setattr(page, "BUNDLED_RUN", SimpleNamespace(loaded_run_and_file="It is of other documents."))
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return small
