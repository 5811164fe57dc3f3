"""Rules for chunks that stand alone, measured on chunks that two readers labelled before the rules were written.

``tests/fixtures/labels`` has the texts, the labels and the guidelines. Chunks on which the readers disagree are left out.
The rules were tuned on one half of the labels; the other half was held out.
"""

from benchmarks.harness import build_function_adding_option, command_line_decorator_for_main, markdown_table
from tests.fixtures.labelled_chunks import LANGUAGES, ON_PAGES, ON_PASSAGES, RuleScore, cohens_kappa, labels_and_findings


@command_line_decorator_for_main(
    build_function_adding_option("--rule", choices=(*ON_PASSAGES, *ON_PAGES), help="measure only this rule"),
)
def main(rule: str | None) -> int:
    """Print a row for each rule and language; return 1 if a pair is not supported."""
    rows, is_any_rule_unsupported = [], False
    for rule_name in [rule] if rule else (*ON_PASSAGES, *ON_PAGES):
        for language in LANGUAGES:
            labels_and_rule_findings = labels_and_findings(rule_name, language)
            rule_score, held_out_score = (
                RuleScore.from_labels(labels_and_rule_findings),
                RuleScore.from_labels([label for label in labels_and_rule_findings if label.is_held_out]),
            )
            is_any_rule_unsupported |= not rule_score.is_supported
            rows.append(
                (
                    f"`{rule_name}`",
                    language,
                    f"{rule_score.labelled}",
                    f"{rule_score.positives}",
                    f"{cohens_kappa(labels_and_rule_findings):.2f}",
                    f"{rule_score.right} of {rule_score.reported}",
                    f"{rule_score.right} of {rule_score.positives}",
                    f"{held_out_score.precision:.0%}",
                    f"{held_out_score.recall:.0%}",
                    "yes" if rule_score.is_supported else "no",
                )
            )
    heads = (
        "rule",
        "language",
        "chunks",
        "labels",
        "kappa",
        "right",
        "found",
        "held out, right",
        "held out, found",
        "supported",
    )
    print(markdown_table(heads, rows))
    return int(is_any_rule_unsupported)


if __name__ == "__main__":
    raise SystemExit(main())
