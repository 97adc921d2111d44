"""N-best lists of any system, ranked by topics too, and the weights for it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.files import write_atomic
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.option_names import quoted_path
from stickbreaker.core.parameter_fields import naming_settings
from stickbreaker.core.records import Array
from stickbreaker.core.untrusted import making_sense_of, read_given_file
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.ngrams.nbest_lists import Candidate, best_first, read_candidates, with_feature
from stickbreaker.ngrams.verbs.rescore import RankedLists, lists_for, ranked_lists
from stickbreaker.translation.bleu import Reference, sentence_bleu
from stickbreaker.translation.lexicon.reranking import FEATURE, lexical_scores, reranked
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.one_side import as_references, as_source
from stickbreaker.translation.pairwise_ranking import learn_weights
from stickbreaker.translation.sentence_tokens import tokens_of
from stickbreaker.translation.verbs.given_lexicons import lexicon_in
from stickbreaker.translation.verbs.settings import RankSettings, WeightSettings

LARGEST_WEIGHTS = 1 << 20  # bytes of a file of weights
REMEDY = "learn weights by --tune REFERENCES"
Lists = Sequence[Sequence[Candidate]]


@dataclass(frozen=True, repr=False)
class RankingWeights(VerbResult):
    """Weights of the features of candidates, by name, learned from some `sentences`; mean BLEU+1 of the best
    candidates of these before and after. `path`: where they were written, for the text."""

    sentences: int
    weights: Mapping[str, float]
    bleu_before: float
    bleu_after: float
    path: Path | None = field(default=None, compare=False)

    def as_json(self) -> JsonObject:
        values = super().as_json()
        del values["path"]
        return values

    def write(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the weights as JSON. Raises UserError if the file exists, unless `overwrite`."""
        content = json.dumps(dict(self.weights), indent=1).encode() + b"\n"
        write_atomic(Path(path), content, overwrite=overwrite)

    def __str__(self) -> str:
        of = counted(len(self.weights), "feature")
        lines = [
            f"{'' if self.path is None else f'{self.path}: '}weights of {of}, learned from "
            f"{counted(self.sentences, 'sentence')}",
            *(f"  {weight:9.5f}  {name}" for name, weight in self.weights.items()),
            f"mean BLEU+1 here: {self.bleu_before:.4f} before, {self.bleu_after:.4f} after",
        ]
        if self.path is not None:
            lines.append(f"Next: stickbreaker translate rerank … --weights {quoted_path(self.path)}")
        return "\n".join(lines)


@naming_settings(RankSettings)
def rerank(lexicon: object, lists: object, source: object, **settings: Any) -> RankedLists:
    """Rank translations of any system again, by how probable their words are in their document's topics.

    lexicon: a `TopicLexicon`, one with phrases, or the path of a saved one. lists: an n-best list as Moses
    writes it: the path of a file, its lines, or lists of `Candidate`. source: the sentences that were
    translated, in order: the path of a file, a list of sentences, or lists of those of each document.
    settings: either `weights`, by the names of features, as `rerank_weights` learns them, or the path of a
    file with such; or `weight`: each score gets this times the mean log p of a candidate's words, in nats.
    What is returned has the `best` texts, and `write`. Raises UserError for lists of other sentences.
    """
    made = RankSettings(**settings)
    if (made.weights is None) == (made.weight is None):
        raise UserError("`weights` or a `weight` is needed, and not both", remedy="give weight=0.2")
    given = _scored(lexicon, lists, source)
    if made.weights is not None:
        return ranked_lists(given.lists, reranked(given.lists, _weights_from(made.weights, _names_of(given))))
    assert made.weight is not None
    code = given.lexicon.bitext.target
    ranked = [_by_score(candidates, made.weight, code) for candidates in given.lists]
    return ranked_lists(given.lists, ranked)


@naming_settings(WeightSettings)
def rerank_weights(
    lexicon: object, lists: object, source: object, references: object, **settings: Any
) -> RankingWeights:
    """Learn weights of the features that rank better candidates (by BLEU+1) higher, for `rerank`.

    references: the right translation of each sentence: the path of a file, or a list. lexicon, lists, source:
    as for `rerank`. settings: `random_state`. Raises UserError if there are fewer references than lists.
    """
    made = WeightSettings(**settings)
    given = _scored(lexicon, lists, source)
    return _tuned(given, references, made.random_state)


class _Scored(NamedTuple):
    """Candidates of each sentence, with log p of their words by a lexicon as their last feature."""

    lexicon: TopicLexicon
    lists: list[list[Candidate]]


def _scored(lexicon: object, lists: object, source: object) -> _Scored:
    known = lexicon_in(lexicon)
    text = as_source(source, known.bitext.fields)
    if isinstance(lists, str | PathLike):
        found, name = read_candidates(Path(lists), len(text.sentences)), str(lists)
    else:
        found, name = lists_for(None, lists)
    if len(found) > len(text.sentences):
        of = source if isinstance(source, str | PathLike) else "the source"
        problem = f"has {counted(len(found), 'sentence')}, {of} has {len(text.sentences):,}"
        raise UserError(
            problem,
            where=name or "the n-best list",
            remedy="give the sentences that were translated, in order",
        )
    shares = known.shares_of(text.documents, text.domains)[text.document_of]
    candidates = [[one.text for one in own] for own in found]
    scores = lexical_scores(known, text.sentences[: len(found)], candidates, shares[: len(found)])
    return _Scored(known, with_feature(found, FEATURE, scores))


def _names_of(given: _Scored) -> list[str]:
    """The names of all feature values of a candidate, from the first candidate of all; a feature with several
    values has a name for each, numbered from 0: "lm.0"."""
    first = next(candidates[0] for candidates in given.lists if candidates)
    return [
        name if len(values) == 1 else f"{name}.{number}"
        for name, values in first.features.items()
        for number in range(len(values))
    ]


def _tuned(given: _Scored, references: object, seed: int) -> RankingWeights:
    lists = given.lists
    wanted = as_references(references, given.lexicon.bitext.fields)
    if len(wanted) < len(lists):
        problem = f"has {counted(len(wanted), 'sentence')}, the n-best list has {len(lists):,}"
        where = references if isinstance(references, str | PathLike) else "the references"
        raise UserError(problem, where=where, remedy="give a translation of every sentence, in order")
    code = given.lexicon.bitext.target

    def quality(candidates: Sequence[Candidate], reference: str) -> Array:
        counted_once = Reference.of(tokens_of(reference, code))
        return np.array([sentence_bleu(tokens_of(one.text, code), counted_once) for one in candidates])

    scores = [quality(candidates, reference) for candidates, reference in zip(lists, wanted, strict=False)]
    names = _names_of(given)
    features = [np.array([one.values for one in own]).reshape(len(own), len(names)) for own in lists]
    weights = learn_weights(features, scores, seed)
    ranked = reranked(lists, weights)
    after = [quality(own[:1], reference) for own, reference in zip(ranked, wanted, strict=False) if own]
    before = [own[0] for own in scores if len(own)]
    return RankingWeights(
        len(lists),
        dict(zip(names, weights.tolist(), strict=True)),
        float(np.mean(before)),
        float(np.mean([own[0] for own in after])),
    )


def _weights_from(given: object, names: list[str]) -> Array:
    """Weights by name, or those in the JSON file that `RankingWeights.write` wrote, in the order of `names`
    (features,).

    Raises UserError for an invalid file, and for features that differ from `names` or are in another order.
    """
    if isinstance(given, RankingWeights):
        given = given.weights
    if isinstance(given, Mapping):
        return _in_order(given, names)
    path = Path(str(given))
    content = read_given_file(path, LARGEST_WEIGHTS, REMEDY)
    with making_sense_of(path, REMEDY):
        return _in_order(json.loads(content), names)


def _in_order(weights: Mapping[str, float], names: list[str]) -> Array:
    if list(weights) != names:
        raise UserError(f"has weights of other features than {', '.join(names)}", remedy=REMEDY)
    found = np.array([float(weights[name]) for name in names])
    if not np.isfinite(found).all():
        raise ValueError("weights that are not finite")
    return found


def _by_score(candidates: Sequence[Candidate], weight: float, code: str) -> list[Candidate]:
    """Rank the candidates of a sentence by their score plus `weight` times the mean log p of their words by
    the lexicon; this sum becomes their score.

    Each candidate's last feature must be log p of all its words; `code`: the target language, by which words
    are counted.
    """
    lengths = [max(1, len(tokens_of(one.text, code))) for one in candidates]
    scored = [
        one._replace(score=one.score + weight * one.values[-1] / length)
        for one, length in zip(candidates, lengths, strict=True)
    ]
    return best_first(scored)
