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
    translations: Sequence[str],
    references: Sequence[str],
    domains: Mapping[str, Sequence[int]],
    names: Sequence[str] = METRICS,
) -> dict[str, object]:
    """Score translations against references: "bleu" and "chrf" (0 to 100, larger is better), "ter" (from 0,
    smaller is better), "length" (words divided by those of the references) and "sentences" (how many).

    "domains" has the same for each domain with sentences. domains: the numbers of the sentences of each;
    names: the metrics wanted (TER takes far longer than the others). Sentences are tokens joined by spaces,
    which BLEU does not tokenise again; "signatures" record this and the version of sacrebleu (Post 2018).
    Raises UserError if sacrebleu is not installed.
    """
    if not has_sacrebleu():
        raise UserError("scores need sacrebleu", remedy="pip install 'stickbreaker[translation]'")
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    known = {"bleu": BLEU(tokenize="none", force=True), "ter": TER(), "chrf": CHRF()}
    metrics = {name: known[name] for name in names}
    edits: list[tuple[int, float]] = []  # of each sentence, and the length of its reference
    if "ter" in metrics:
        pairs = zip(translations, references, strict=True)
        each = (metrics["ter"].sentence_score(own, [wanted]) for own, wanted in pairs)
        edits = [(one.num_edits, one.ref_length) for one in each]

    def score(name: str, own: list[str], wanted: list[str], chosen: Sequence[int]) -> float:
        if name != "ter":
            return metrics[name].corpus_score(own, [wanted]).score
        n_edits, length = (sum(edits[number][part] for number in chosen) for part in (0, 1))
        return 100 * (n_edits / length if length else float(n_edits > 0))

    def scored(chosen: Sequence[int]) -> dict[str, float]:
        own, wanted = ([side[number] for number in chosen] for side in (translations, references))
        length = sum(len(text.split()) for text in own) / max(1, sum(len(text.split()) for text in wanted))
        figures = {name: score(name, own, wanted, chosen) for name in metrics}
        return {**figures, "length": length, "sentences": len(chosen)}

    whole = scored(range(len(translations)))
    return {
        **whole,
        "domains": {name: scored(chosen) for name, chosen in domains.items() if len(chosen)},
        "signatures": {name: str(metric.get_signature()) for name, metric in metrics.items()},
    }
