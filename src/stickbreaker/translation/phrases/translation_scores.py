"""Scores of translations against references: BLEU, TER and chrF, by sacrebleu."""

from collections.abc import Mapping, Sequence

from stickbreaker.core.errors import UserError

METRICS = ("bleu", "ter", "chrf")


def has_sacrebleu() -> bool:
    """Whether sacrebleu is installed."""
    try:
        import sacrebleu  # noqa: F401
    except ImportError:
        return False
    return True


def translation_scores(
    translations: Sequence[str], references: Sequence[str], domains: Mapping[str, Sequence[int]]
) -> dict[str, object]:
    """Scores of translations against references, for all sentences and for each domain: BLEU and chrF (0 to
    100, larger is better), TER (from 0, smaller is better), and the length of translations divided by that of
    references.

    domains: the numbers of the sentences of each. Sentences are lower-case tokens joined by spaces, which are
    not tokenised again; `signatures` record this and the version of sacrebleu (Post 2018). Raises UserError
    if sacrebleu is not installed.
    """
    if not has_sacrebleu():
        raise UserError("scores need sacrebleu", remedy="pip install 'stickbreaker[translation]'")
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    metrics = {"bleu": BLEU(tokenize="none", force=True), "ter": TER(), "chrf": CHRF()}

    def scored(chosen: Sequence[int]) -> dict[str, float]:
        own, wanted = ([side[number] for number in chosen] for side in (translations, references))
        length = sum(len(text.split()) for text in own) / max(1, sum(len(text.split()) for text in wanted))
        figures = {name: metric.corpus_score(own, [wanted]).score for name, metric in metrics.items()}
        return {**figures, "length": length, "sentences": len(chosen)}

    whole = scored(range(len(translations)))
    return {
        **whole,
        "domains": {name: scored(chosen) for name, chosen in domains.items() if len(chosen)},
        "signatures": {name: str(metric.get_signature()) for name, metric in metrics.items()},
    }
