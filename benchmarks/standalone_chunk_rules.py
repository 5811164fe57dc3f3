"""Rules for chunks that stand alone, measured on chunks that two readers labelled before the rules were written.

``tests/fixtures/labels`` has the texts, the labels and the guidelines. Chunks on which the readers disagree are left out.
The rules were tuned on one half of the labels; the other half was held out.
"""

from benchmarks.harness import benchmark_command, build_function_adding_option, markdown_table
from tests.fixtures.labelled_chunks import LANGUAGES, ON_PAGES, ON_PASSAGES, RuleScore, cohens_kappa, labels_and_findings


@benchmark_command(
    build_function_adding_option("--rule", choices=(*ON_PASSAGES, *ON_PAGES), help="measure only this rule"),
)
def main(rule: str | None) -> int:
    """Print a row for each rule and language; return 1 if a pair is not supported."""
    rows, is_missed = [], False
    for name in [rule] if rule else (*ON_PASSAGES, *ON_PAGES):
        for language in LANGUAGES:
            labels_and_rule_findings = labels_and_findings(name, language)
            score, held_out_score = (
                RuleScore.from_labels(labels_and_rule_findings),
                RuleScore.from_labels([label for label in labels_and_rule_findings if label.is_held_out]),
            )
            is_missed |= not score.is_supported
            rows.append(
                (
                    f"`{name}`",
                    language,
                    f"{score.labelled}",
                    f"{score.positives}",
                    f"{cohens_kappa(labels_and_rule_findings):.2f}",
                    f"{score.right} of {score.reported}",
                    f"{score.right} of {score.positives}",
                    f"{held_out_score.precision:.0%}",
                    f"{held_out_score.recall:.0%}",
                    "yes" if score.is_supported else "no",
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
    return int(is_missed)


if __name__ == "__main__":
    raise SystemExit(main())
