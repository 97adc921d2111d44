"""Lexicons on disk: the bitext they were counted from, and the data for new sentences."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import atomic_directory, digest_of, put_right, refuse_links, write_atomic
from stickbreaker.core.json_checks import (
    JsonObject,
    is_amount,
    is_count,
    is_record,
    is_text,
    list_of,
    optional,
    record_with,
    refuse_other_kinds,
)
from stickbreaker.core.locks.directory_claims import claim
from stickbreaker.core.records import AnyArray, Array
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.saved.arrays import read_arrays, write_arrays
from stickbreaker.saved.manifest import encoded, read_own_manifest
from stickbreaker.translation.alignment.aligned_words import Links
from stickbreaker.translation.bitext import Bitext, BitextFields
from stickbreaker.translation.lexicon.directed_lexicon import Strengths
from stickbreaker.translation.lexicon.domains import read_domains

if TYPE_CHECKING:
    from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon

MANIFEST, ARRAYS, BITEXT, PHRASES = "lexicon.json", "lexicon.safetensors", "bitext", "phrases.safetensors"
SCHEMA = 1
RESTORE = "restore it from a copy or learn it again"
ALIGNER = "aligner."  # prefix of the names of the aligner's arrays
FIELDS = {
    "schema": is_count,
    "stickbreaker": is_text,
    "fields": record_with(
        {
            "source": is_text,
            "target": is_text,
            "text_field": optional(is_text),
            "document_field": is_text,
            "domain_field": is_text,
            "lines_per_document": is_count,
        }
    ),
    "domains": is_record,
    "strengths": list_of(list_of(is_amount)),
    "bitext": is_text,
    "arrays": is_text,
}
OPTIONAL_FIELDS = {"phrases": is_text}  # the digest of the phrases, if there are any


def save(
    lexicon: "TopicLexicon",
    path: Path,
    *,
    overwrite: bool = False,
    beside: Callable[[Path], JsonObject] | None = None,
) -> None:
    """Save a lexicon in a directory, completely or not at all. Raises UserError if the path exists, unless
    `overwrite`.

    overwrite: replace a lexicon, but nothing else; beside: a function that writes more files into the new
    directory, which it gets, and returns their entries for the manifest.
    """
    refuse_existing(path, overwrite)
    with atomic_directory(path, overwrite=overwrite) as folder:
        lexicon.bitext.write(folder / BITEXT)
        arrays = {
            "links.source": lexicon.links.source,
            "links.target": lexicon.links.target,
            "links.offsets": lexicon.links.offsets,
            "shares": lexicon.shares,
        }
        if lexicon.aligner is not None:
            arrays |= {ALIGNER + name: values for name, values in lexicon.aligner.to_arrays().items()}
        write_arrays(folder / ARRAYS, arrays)
        manifest = {
            "schema": SCHEMA,
            "stickbreaker": version("stickbreaker"),
            "fields": asdict(lexicon.bitext.fields),
            "domains": lexicon.domains.write(folder),
            "strengths": [list(one) for one in lexicon.strengths],
            "bitext": lexicon.bitext.corpus.fingerprint,
            "arrays": digest_of(folder / ARRAYS),
            **({} if beside is None else beside(folder)),
        }
        write_atomic(folder / MANIFEST, encoded(manifest))
        refuse_existing(path, overwrite)


def load(path: Path) -> "TopicLexicon":
    """Load a lexicon that `save` saved. Raises UserError naming what is missing, damaged or altered."""
    from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon

    manifest = read_manifest(path)
    if not (path / ARRAYS).is_file():
        raise UserError("is missing", where=path / ARRAYS, remedy=RESTORE)
    if digest_of(path / ARRAYS) != manifest["arrays"]:
        raise UserError("was altered since it was saved", where=path / ARRAYS, remedy=RESTORE)
    arrays = read_arrays(path / ARRAYS)
    with making_sense_of(path / MANIFEST, RESTORE):
        fields = BitextFields(**manifest["fields"])
    bitext = Bitext.open(path / BITEXT, fields)
    if bitext.corpus.fingerprint != manifest["bitext"]:
        raise UserError(
            "is not the bitext that the lexicon was learned from", where=path / BITEXT, remedy=RESTORE
        )
    with making_sense_of(path, RESTORE):
        domains = read_domains(path, manifest["domains"], fields.source)
        links = _links_of(arrays, bitext)
        shares = _shares_of(arrays, bitext, len(domains.names))
        strengths = [Strengths(*one) for one in manifest["strengths"]]
        if len(strengths) != 2 or min(min(one) for one in strengths) <= 0.0:
            raise ValueError("strengths are invalid")
        aligner = None
        own = {name.removeprefix(ALIGNER): v for name, v in arrays.items() if name.startswith(ALIGNER)}
        if own:
            from stickbreaker.translation.alignment.aligner_arrays import refuse_other_arrays
            from stickbreaker.translation.alignment.word_aligner import WordAligner

            refuse_other_arrays(own, (len(bitext.words[0]), len(bitext.words[1])))
            aligner = WordAligner.from_arrays(own)
        return TopicLexicon(bitext, domains, links, shares, (strengths[0], strengths[1]), aligner)


def read_manifest(path: Path) -> JsonObject:
    """Read the manifest of a lexicon, lexicon.json in the directory `path`. Raises UserError if the directory
    is not a lexicon, or the manifest was altered."""
    remedy = "make one with stickbreaker translate learn"
    manifest = read_own_manifest(path, MANIFEST, SCHEMA, "lexicon", remedy, RESTORE)
    with making_sense_of(path / MANIFEST, RESTORE):
        refuse_other_kinds(manifest, FIELDS)
        refuse_other_kinds(manifest, OPTIONAL_FIELDS, needed=False)
    return manifest


def refuse_existing(path: Path, overwrite: bool) -> None:
    """Raise UserError if `path` exists and may not be replaced: without `overwrite`, or if it is neither a
    lexicon nor an empty directory.

    Before that, what a killed process left there is repaired (`put_right`).
    """
    put_right(path)
    if not path.exists():
        return
    if not overwrite:
        raise UserError("already exists", where=path, remedy="choose another path or give --overwrite")
    if not path.is_dir() or (any(path.iterdir()) and not (path / MANIFEST).is_file()):
        raise UserError("is not a saved lexicon", where=path, remedy="--overwrite replaces lexicons only")
    if (path / MANIFEST).is_file():
        with lexicon_claimed(path):
            pass


@contextmanager
def lexicon_claimed(path: Path) -> Generator[None]:
    """A context in which no other process replaces or changes a saved lexicon, which is claimed and locked.

    If it was moved or replaced all the same, writing into it raises UserError (`write_atomic`). Raises
    UserError if another process has it, if it is not a lexicon, or if it contains links.
    """
    read_manifest(path)
    refuse_links(path)
    made = claim(path)
    if made is None:
        remedy = "wait for it, or choose another path"
        raise UserError("another command is changing this lexicon", where=path, remedy=remedy)
    try:
        yield
    finally:
        made.release()


def _links_of(arrays: Mapping[str, AnyArray], bitext: Bitext) -> Links:
    """The links between words of a saved bitext, from the arrays of its lexicon.

    Raises ValueError if they do not fit the bitext.
    """
    links = Links(*(arrays[f"links.{name}"] for name in Links._fields))
    if any(one.ndim != 1 or one.dtype.kind != "i" for one in links):
        raise ValueError("links are not positions")
    pairs = bitext.n_pairs
    counts = np.diff(links.offsets)
    if len(links.offsets) != pairs + 1 or links.offsets[0] != 0 or (counts < 0).any():
        raise ValueError("links belong to other sentences")
    if not len(links.source) == len(links.target) == links.offsets[-1]:
        raise ValueError("links belong to other sentences")
    for places, side in ((links.source, bitext.sides[0]), (links.target, bitext.sides[1])):
        lengths = np.repeat(np.diff(side.offsets), counts)
        if (places < 0).any() or (places >= lengths).any():
            raise ValueError("links go beyond the ends of sentences")
    return links


def _shares_of(arrays: Mapping[str, AnyArray], bitext: Bitext, n_topics: int) -> Array:
    """The topic shares of documents, from the arrays of a saved lexicon (documents × topics).

    Raises ValueError for another shape, or rows that do not sum to one.
    """
    shares = arrays["shares"]
    if shares.shape != (len(bitext.names), n_topics) or (shares < 0.0).any():
        raise ValueError("shares belong to other documents")
    if not np.allclose(shares.sum(axis=1), 1.0, atol=1e-6):
        raise ValueError("shares do not sum to one")
    return shares
