"""Saved phrase models: phrases, language model and weights, in the directory of their lexicon."""

import json
import math
from pathlib import Path

import numpy as np

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import digest_of, write_atomic
from stickbreaker.core.json_checks import JsonObject, is_number, is_text, mapping_of, refuse_other_kinds
from stickbreaker.core.option_names import command_line
from stickbreaker.core.records import AnyArray
from stickbreaker.core.untrusted import making_sense_of, read_given_file
from stickbreaker.estimators import model_files
from stickbreaker.ngrams.backoff_model import BackoffModel
from stickbreaker.ngrams.kernels.backoff_trigrams import BackoffArrays
from stickbreaker.ngrams.topic_ngram_learned import TopicNgramLearned
from stickbreaker.saved.arrays import read_arrays, write_arrays
from stickbreaker.saved.manifest import MANIFEST
from stickbreaker.translation.decoding.topic_backoff_model import TopicBackoffModel
from stickbreaker.translation.lexicon.saved_lexicon import PHRASES, RESTORE, read_manifest, save
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.phrases.array_checks import require_model, require_table
from stickbreaker.translation.phrases.phrase_model import (
    FIRST_WEIGHTS,
    MIXTURE,
    OF_SEARCH,
    PLAIN,
    RANKED,
    PhraseModel,
)
from stickbreaker.translation.phrases.phrase_table import PhraseTable

WEIGHTS = "weights.json"
LARGEST_WEIGHTS = 1 << 20  # bytes
MODEL = "language_model."  # prefix of the names of its arrays
LANGUAGE_MODEL = "language_model"  # the directory of a language model with topics
NOT_AN_NGRAM = 1.0  # in files, in place of NaN: no log probability is above 0
_NUMBERS = ("unknown", "end", "n_words", "beginning")  # fields of the language model that are not arrays
FIELDS = {"phrases": is_text, "weights": mapping_of(is_number)}


def write_phrases(folder: Path, table: PhraseTable, model: BackoffModel | TopicBackoffModel) -> str:
    """Save a phrase table and a language model in the directory of their lexicon; returns the digest of the
    file of phrases.

    A language model with topics gets a directory of its own, whose digest is in that file.
    """
    arrays: dict[str, AnyArray] = dict(table.to_arrays())
    arrays |= _with_topics(folder, model) if isinstance(model, TopicBackoffModel) else _arrays_of(model)
    write_arrays(folder / PHRASES, arrays)
    return digest_of(folder / PHRASES)


def _with_topics(folder: Path, model: TopicBackoffModel) -> dict[str, AnyArray]:
    """Save a language model with topics in its own directory; returns its digest, as an array for the file of
    phrases."""
    model_files.save(model.model, folder / LANGUAGE_MODEL)
    digest = digest_of(folder / LANGUAGE_MODEL / MANIFEST)
    return {f"{MODEL}digest": np.frombuffer(digest.encode(), np.uint8)}


def _arrays_of(model: BackoffModel) -> dict[str, AnyArray]:
    """The arrays of a language model without topics, by their names in the file of phrases."""
    arrays: dict[str, AnyArray] = {}
    for name, values in model.arrays._asdict().items():
        arrays[MODEL + name] = np.atleast_1d(np.asarray(values))
    log_p = arrays[f"{MODEL}log_p"]
    arrays[f"{MODEL}log_p"] = np.where(np.isnan(log_p), NOT_AN_NGRAM, log_p)
    arrays[f"{MODEL}order"] = np.array([model.order])
    return arrays


def save_with_phrases(model: PhraseModel, path: Path, *, overwrite: bool = False) -> None:
    """Save a lexicon with its phrases and its language model in a directory; not the model's weights, which
    `write_weights` adds.

    Raises UserError if the path exists, unless `overwrite`.
    """

    def beside(folder: Path) -> dict[str, str]:
        return {"phrases": write_phrases(folder, model.table, model.language_model)}

    save(model.lexicon, path, overwrite=overwrite, beside=beside)


def read_phrases(
    folder: Path, words: tuple[tuple[str, ...], tuple[str, ...]]
) -> tuple[PhraseTable, BackoffModel | TopicBackoffModel]:
    """Load the phrase table and the language model that `write_phrases` saved. Raises UserError for anything
    else.

    words: the bitext's source words and target words.
    """
    arrays = read_arrays(folder / PHRASES)
    with making_sense_of(folder / PHRASES, RESTORE):
        table = PhraseTable.from_arrays(arrays)
        require_table(table, words)
        target = words[1] + table.more_words[1]
        if f"{MODEL}digest" in arrays:
            return table, _model_with_topics(folder, arrays[f"{MODEL}digest"], target)
        log_p = arrays[f"{MODEL}log_p"]
        arrays[f"{MODEL}log_p"] = np.where(log_p > 0.0, np.nan, log_p)
        held: JsonObject = {
            name: int(arrays[MODEL + name][0]) if name in _NUMBERS else arrays[MODEL + name]
            for name in BackoffArrays._fields
        }
        model = BackoffModel(target, int(arrays[f"{MODEL}order"][0]), BackoffArrays(**held))
        require_model(model.arrays, len(target))
        return table, model


def _model_with_topics(folder: Path, digest: AnyArray, target: tuple[str, ...]) -> TopicBackoffModel:
    """Load the language model with topics from its directory, for the decoder's words (`target`).

    Raises UserError if the digest of its manifest is not `digest`, ValueError for a model of another kind.
    """
    manifest = folder / LANGUAGE_MODEL / MANIFEST
    if manifest.is_file() and digest_of(manifest).encode() != bytes(digest.tolist()):
        problem = "is not from the language model that the phrases were learned with"
        raise UserError(problem, where=manifest, remedy=RESTORE)
    model = model_files.load(folder / LANGUAGE_MODEL)
    if not isinstance(model, TopicNgramLearned):
        raise ValueError(f"the language model has the kind {model.kind}")
    return TopicBackoffModel.of(model, target)


def load_phrases(path: Path) -> PhraseModel:
    """Load the phrase model from a lexicon's directory, with tuned weights if there are any.

    Raises UserError for a lexicon learned without phrases, and for altered files.
    """
    manifest = read_manifest(path)
    if "phrases" not in manifest:
        remedy = f"learn it with: {command_line('translate learn', 'BITEXT', '--phrases')}"
        raise UserError("has no phrases and can only translate words", where=path, remedy=remedy)
    lexicon = TopicLexicon.load(path)
    file = path / PHRASES
    if not file.is_file():
        raise UserError("is missing", where=file, remedy=RESTORE)
    if digest_of(file) != manifest["phrases"]:
        raise UserError("was altered since it was saved", where=file, remedy=RESTORE)
    table, model = read_phrases(path, lexicon.bitext.words)
    weights = _read_weights(path / WEIGHTS, manifest["phrases"])
    weights = weights or {name: FIRST_WEIGHTS[name] for name in PLAIN + OF_SEARCH}
    ranks = len(set(RANKED) & set(weights))
    return PhraseModel(lexicon, table, model, weights, len(weights) > len(PLAIN + OF_SEARCH), ranks)


def load_any(path: Path) -> TopicLexicon | PhraseModel:
    """Load a lexicon: as a phrase model if it has phrases, else as a lexicon alone. Raises UserError for
    altered files."""
    return load_phrases(path) if "phrases" in read_manifest(path) else TopicLexicon.load(path)


def write_weights(path: Path, model: PhraseModel, weights: dict[str, float]) -> None:
    """Save tuned weights in the directory of a saved phrase model, replacing earlier ones.

    Only the weights of `model.features` are saved, so that `load_phrases` uses the same features.
    """
    kept = {name: weights[name] for name in model.features}
    manifest = {"phrases": read_manifest(path)["phrases"], "weights": kept}
    write_atomic(path / WEIGHTS, json.dumps(manifest, indent=1).encode() + b"\n")


def _read_weights(file: Path, phrases: str) -> dict[str, float] | None:
    """The tuned weights saved in a file; None if there is no file.

    phrases: the digest of the phrases that they must have been tuned for. Raises UserError for an invalid
    file, or weights of other phrases.
    """
    if not file.exists():
        return None
    remedy = "tune it again with translate tune"
    content = read_given_file(file, LARGEST_WEIGHTS, remedy)
    with making_sense_of(file, remedy):
        held = json.loads(content)
        refuse_other_kinds(held, FIELDS)
        if held["phrases"] != phrases:
            raise ValueError("weights belong to other phrases")
        weights = held["weights"]
        topical = [name for name in weights if name not in PLAIN + OF_SEARCH]
        allowed = ([], [*MIXTURE], [*RANKED[: len(topical)]])
        if not {*PLAIN, *OF_SEARCH} <= {*weights} or topical not in allowed:
            raise ValueError("weights belong to other features")
        if not all(map(math.isfinite, weights.values())):
            raise ValueError("weights are not finite")
        return weights
