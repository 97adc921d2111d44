"""`stickbreaker translate rerank`: n-best lists of any system, ranked by topics too."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from stickbreaker.console.console import MODEL, PATH, NumberRange, command, emit, option
from stickbreaker.console.inputs import warnings_as_notes
from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.files import refuse_file, write_atomic
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.option_names import quoted_path
from stickbreaker.core.untrusted import making_sense_of, read_given_file

if TYPE_CHECKING:
    from stickbreaker.core.records import Array
    from stickbreaker.ngrams.nbest_lists import Candidate
    from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
    from stickbreaker.translation.one_side import SourceText

LARGEST_WEIGHTS = 1 << 20  # bytes of a file of weights
REMEDY = "learn weights by --tune REFERENCES"


@click.command(
    epilog="Example: stickbreaker translate rerank lexicon test.nbest --source test.de --weight 0.2 "
    "--out best.nbest"
)
@click.argument("lexicon", type=MODEL)
@click.argument("nbest", type=PATH)
@option(
    "--source",
    type=PATH,
    required=True,
    metavar="FILE",
    help="The sentences that were translated, in order: a line each, or JSON Lines with their documents.",
)
@option("--out", type=PATH, required=True, help="The n-best list to write; with --tune the weights.")
@option("--tune", type=PATH, metavar="REFERENCES", help="Learn weights: the right translations, in order.")
@option("--weights", type=PATH, metavar="FILE", help="Weights that --tune has written.")
@option(
    "--weight",
    type=NumberRange(0.0),
    help="Without --tune and --weights: add to each score the lexicon's mean score of a word, times this.",
)
@option("--seed", default=0, help="Of --tune: the same seed gives the same weights.")
@option("--overwrite", is_flag=True, help="Replace the file at --out.")
@command
def rerank(
    lexicon: Path,
    nbest: Path,
    source: Path,
    out: Path,
    tune: Path | None,
    weights: Path | None,
    weight: float | None,
    seed: int,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Rank translations of any system again, by how probable their words are in their document's topics.

    NBEST is a list as Moses writes it: number ||| translation ||| features ||| score. Each candidate gets one
    more feature, the log probability of its words by the lexicon. First learn weights on sentences whose
    translations are known (--tune), then rank others with these weights (--weights). If no translations are
    known, --weight adds the mean log probability of a candidate's words, in nats; the mean does not favour
    short candidates.
    """
    if (tune is not None) + (weights is not None) + (weight is not None) != 1:
        raise click.UsageError("give one of --tune REFERENCES, --weights FILE and --weight NUMBER")
    refuse_file(out, overwrite)
    from stickbreaker.corpus.readers.problems import ReadingWarning
    from stickbreaker.ngrams.nbest_lists import lines_of, read_candidates, with_feature
    from stickbreaker.translation.lexicon.reranking import FEATURE, reranked
    from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
    from stickbreaker.translation.one_side import read_source

    held = TopicLexicon.load(lexicon)
    with warnings_as_notes(ReadingWarning):
        text = read_source(source, held.bitext.fields)
        lists = read_candidates(nbest, len(text.sentences))
    if len(lists) > len(text.sentences):
        problem = f"has {counted(len(lists), 'sentence')}, {source} has {len(text.sentences):,}"
        raise UserError(problem, where=nbest, remedy="give the sentences that were translated, in order")
    lists = with_feature(lists, FEATURE, _scores(held, text, lists))
    if tune is not None:
        result = _tuned(held, lists, tune, seed)
        write_atomic(out, json.dumps(result["weights"], indent=1).encode() + b"\n", overwrite=overwrite)
        emit({"out": str(out), "sentences": len(lists), **result}, as_json, _as_tuned)
        return
    names = _names_of(lists)
    if weights is not None:
        ranked = reranked(lists, _weights_from(weights, names))
    else:
        assert weight is not None
        ranked = [_by_score(candidates, weight, held.bitext.target) for candidates in lists]
    write_atomic(out, "".join(lines_of(ranked)).encode("utf-8"), overwrite=overwrite)
    pairs = [(a[0].text, b[0].text) for a, b in zip(lists, ranked, strict=True) if a]
    changed = sum(first != second for first, second in pairs)
    emit({"out": str(out), "sentences": len(lists), "changed": changed}, as_json, _as_ranked)


def _scores(
    lexicon: "TopicLexicon", text: "SourceText", lists: "Sequence[Sequence[Candidate]]"
) -> "list[Array]":
    """Score the candidates of each sentence in `lists` by the lexicon, with the topics of the sentence's
    document: log p of their words in nats (candidates,), an array per sentence.

    text: the source sentences, as many as lists or more.
    """
    from stickbreaker.translation.lexicon.reranking import lexical_scores

    shares = lexicon.shares_of(text.documents, text.domains)[text.document_of]
    candidates = [[one.text for one in own] for own in lists]
    return lexical_scores(lexicon, text.sentences[: len(lists)], candidates, shares[: len(lists)])


def _names_of(lists: "Sequence[Sequence[Candidate]]") -> list[str]:
    """The names of all feature values of a candidate, from the first candidate of all; a feature with several
    values has a name for each, numbered from 0: "lm.0"."""
    first = next(candidates[0] for candidates in lists if candidates)
    return [
        name if len(values) == 1 else f"{name}.{number}"
        for name, values in first.features.items()
        for number in range(len(values))
    ]


def _tuned(
    lexicon: "TopicLexicon", lists: "Sequence[Sequence[Candidate]]", references: Path, seed: int
) -> JsonObject:
    """Learn weights of the features that rank better candidates (by BLEU+1) higher.

    Returns them, and the mean BLEU+1 of the best candidates before and after, as JSON values. Raises
    UserError if there are fewer references than lists.
    """
    from stickbreaker.corpus.readers.problems import ReadingWarning
    from stickbreaker.translation.bleu import Reference, sentence_bleu
    from stickbreaker.translation.lexicon.reranking import reranked
    from stickbreaker.translation.one_side import read_references
    from stickbreaker.translation.pairwise_ranking import learn_weights
    from stickbreaker.translation.sentence_tokens import tokens_of

    with warnings_as_notes(ReadingWarning):
        wanted = read_references(references, lexicon.bitext.fields)
    if len(wanted) < len(lists):
        problem = f"has {counted(len(wanted), 'sentence')}, the n-best list has {len(lists):,}"
        raise UserError(problem, where=references, remedy="give a translation of every sentence, in order")
    code = lexicon.bitext.target

    def quality(candidates: "Sequence[Candidate]", reference: str) -> "Array":
        counted_once = Reference.of(tokens_of(reference, code))
        return np.array([sentence_bleu(tokens_of(one.text, code), counted_once) for one in candidates])

    scores = [quality(candidates, reference) for candidates, reference in zip(lists, wanted, strict=False)]
    names = _names_of(lists)
    features = [np.array([one.values for one in own]).reshape(len(own), len(names)) for own in lists]
    weights = learn_weights(features, scores, seed)
    ranked = reranked(lists, weights)
    after = [quality(own[:1], reference) for own, reference in zip(ranked, wanted, strict=False) if own]
    before = [own[0] for own in scores if len(own)]
    return {
        "weights": dict(zip(names, weights.tolist(), strict=True)),
        "bleu_before": float(np.mean(before)),
        "bleu_after": float(np.mean([own[0] for own in after])),
    }


def _weights_from(path: Path, names: list[str]) -> "Array":
    """Read weights from a JSON file that `--tune` wrote, in the order of `names` (features,).

    Raises UserError for an invalid file, and for features that differ from `names` or are in another order.
    """
    content = read_given_file(path, LARGEST_WEIGHTS, REMEDY)
    with making_sense_of(path, REMEDY):
        held = json.loads(content)
        if list(held) != names:
            raise UserError(f"has weights of other features than {', '.join(names)}", remedy=REMEDY)
        weights = np.array([float(held[name]) for name in names])
        if not np.isfinite(weights).all():
            raise ValueError("weights that are not finite")
        return weights


def _by_score(candidates: "Sequence[Candidate]", weight: float, code: str) -> "list[Candidate]":
    """Rank the candidates of a sentence by their score plus `weight` times the mean log p of their words by
    the lexicon; this sum becomes their score.

    Each candidate's last feature must be log p of all its words; `code`: the target language, by which words
    are counted.
    """
    from stickbreaker.ngrams.nbest_lists import best_first
    from stickbreaker.translation.sentence_tokens import tokens_of

    lengths = [max(1, len(tokens_of(one.text, code))) for one in candidates]
    scored = [
        one._replace(score=one.score + weight * one.values[-1] / length)
        for one, length in zip(candidates, lengths, strict=True)
    ]
    return best_first(scored)


def _as_tuned(result: JsonObject) -> str:
    lines = [
        f"{result['out']}: weights of {counted(len(result['weights']), 'feature')}, learned of "
        f"{counted(result['sentences'], 'sentence')}",
        *(f"  {weight:9.5f}  {name}" for name, weight in result["weights"].items()),
        f"mean BLEU+1 here: {result['bleu_before']:.4f} before, {result['bleu_after']:.4f} after",
        f"Next: stickbreaker translate rerank … --weights {quoted_path(result['out'])}",
    ]
    return "\n".join(lines)


def _as_ranked(result: JsonObject) -> str:
    sentences = counted(result["sentences"], "sentence")
    return f"{result['out']}: {sentences}, {result['changed']:,} with another best"
