"""The weights by which phrases are translated, learned on pairs of sentences."""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from stickbreaker.core.errors import counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.option_names import quoted_path
from stickbreaker.core.parameter_fields import naming_settings
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.translation.bitext import Bitext
from stickbreaker.translation.lexicon.saved_lexicon import lexicon_claimed
from stickbreaker.translation.phrases import translating
from stickbreaker.translation.phrases.phrase_model import FIRST_WEIGHTS, PhraseModel
from stickbreaker.translation.phrases.saved_phrases import write_weights
from stickbreaker.translation.phrases.token_documents import token_documents
from stickbreaker.translation.phrases.translating import TuningRound
from stickbreaker.translation.verbs.given_lexicons import name_of, phrases_in
from stickbreaker.translation.verbs.settings import TuneSettings

RANKS = 3  # of the topics of a document


@dataclass(frozen=True, repr=False)
class TunedWeights(VerbResult):
    """Weights of features, by name, of the best round of tuning: BLEU (0 to 100) of the `sentences` tuned
    on, and their `length` compared with the references'. `rounds`: both of each round. `model`: the lexicon
    with these weights; `path`: where they were saved."""

    lexicon: str
    sentences: int
    bleu: float
    length: float
    rounds: tuple[TuningRound, ...]
    weights: Mapping[str, float]
    model: PhraseModel | None = field(default=None, compare=False)
    path: Path | None = field(default=None, compare=False)

    def as_json(self) -> JsonObject:
        return {
            "lexicon": self.lexicon,
            "sentences": self.sentences,
            "bleu": self.bleu,
            "length": self.length,
            "rounds": [{"bleu": 100 * one.bleu, "length": one.length} for one in self.rounds],
            "weights": dict(self.weights),
        }

    def __str__(self) -> str:
        lines = [
            f"{self.lexicon}: BLEU {self.bleu:.2f} of the {counted(self.sentences, 'sentence')} "
            f"tuned on, length {self.length:.3f} of the references'",
            *(f"  {weight:9.5f}  {name}" for name, weight in self.weights.items()),
        ]
        if self.path is not None:
            lines.append(
                f"Next: stickbreaker translate run {quoted_path(self.path)} FILE --out translated.txt"
            )
        return "\n".join(lines)


@naming_settings(TuneSettings)
def tune(
    lexicon: object,
    pairs: object,
    progress: Callable[[TuningRound], None] | None = None,
    **settings: Any,
) -> TunedWeights:
    """Tune the weights of a lexicon with phrases on pairs of sentences that it has not seen.

    lexicon: a `PhraseModel`, which stays as it is: the `model` of what is returned has the weights; or the
    path of a saved lexicon with phrases, in which they are saved too. pairs: a `Bitext`, or paths of files as
    the lexicon was learned from. settings: the options of `stickbreaker translate tune`: how `topics` take
    part, `rounds`, `random_state` and `n_jobs`. Raises UserError if nothing can be learned.
    """
    made = TuneSettings(**settings)
    path = Path(lexicon) if isinstance(lexicon, str | Path) else None
    with nullcontext() if path is None else lexicon_claimed(path):
        model = replace(
            phrases_in(lexicon),
            weights=FIRST_WEIGHTS,
            adapts=made.topics != "none",
            ranks=RANKS if made.topics == "ranks" else 0,
        )
        bitext = pairs_for(model, pairs)
        documents, references = token_documents(model.lexicon, bitext)
        history = translating.tune(
            model,
            documents,
            references,
            rounds=made.rounds,
            seed=made.random_state,
            threads=made.n_jobs,
            progress=progress,
        )
        best = max(history, key=lambda one: one.bleu)
        if path is not None:
            write_weights(path, model, best.weights)
    return TunedWeights(
        name_of(lexicon),
        bitext.n_pairs,
        100 * best.bleu,
        best.length,
        tuple(history),
        {name: best.weights[name] for name in model.features},
        replace(model, weights=best.weights),
        path,
    )


def pairs_for(model: PhraseModel, given: object) -> Bitext:
    """Pairs of sentences as a bitext: one in memory, or files that are read with the languages and fields
    of the lexicon's own."""
    if isinstance(given, Bitext):
        return given
    paths = [given] if isinstance(given, str | Path) else list(given)  # pyright: ignore[reportArgumentType]
    return Bitext.read(list(map(str, paths)), model.lexicon.bitext.fields)
