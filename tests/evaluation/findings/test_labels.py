"""Rules for chunks that stand alone reach their required shares on labelled chunks, in every language that they name."""

import pytest

from tests.fixtures.labelled_chunks import LANGUAGES, ON_PAGES, ON_PASSAGES, RuleScore, cohens_kappa, labels_and_findings


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rule", [*ON_PASSAGES, *ON_PAGES])
def test_a_rule_is_right_and_finds_what_readers_found(rule, language):
    labels = labels_and_findings(rule, language)
    assert RuleScore.from_labels(labels).is_supported
    held_out = RuleScore.from_labels([label for label in labels if label.is_held_out])
    assert held_out.precision >= 0.8
    assert held_out.recall >= 0.6
    assert cohens_kappa(labels) > 0.8
