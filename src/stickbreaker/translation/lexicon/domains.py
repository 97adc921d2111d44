"""The domains of documents, as shares that sum to one: topics of a model, or values of a field."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import digest_of
from stickbreaker.core.json_checks import JsonObject, is_count, is_text, list_of, refuse_other_kinds
from stickbreaker.core.records import Array
from stickbreaker.corpus import Analysis, Corpus
from stickbreaker.saved.manifest import MANIFEST
from stickbreaker.translation.bitext import Bitext

TOPICS = "topics"  # the directory of the model
WORDS_OF_A_NAME = 3


class Domains(ABC):
    """What a lexicon adapts to: domains, such as the topics of a model; the shares of a document's domains
    sum to one."""

    kind: ClassVar[str]

    @property
    @abstractmethod
    def names(self) -> Sequence[str]:
        """The names of the domains, as users see them."""

    @abstractmethod
    def shares(self, sources: Sequence[str], domains: Sequence[str]) -> Array:
        """Domain shares of documents (documents × domains), from their source texts or from the domains that
        they state ("" if unknown), depending on the kind of domains."""

    @abstractmethod
    def write(self, directory: Path) -> JsonObject:
        """Save in a directory what `read_domains` needs; returns entries for the lexicon's manifest."""

    def of_bitext(self, bitext: Bitext) -> Array:
        """Domain shares of a bitext's documents (documents × domains), from their source side or the domains
        that they state, never from translations."""
        return self.shares(bitext.document_texts[0], bitext.domains)


class TopicDomains(Domains):
    """The topics of a fitted topic model as domains.

    A document's shares come from its source side alone, since a new document has no translation yet. Raises
    UserError for a model of another language than `source`.
    """

    kind = "topics"

    def __init__(self, model: object, source: str) -> None:
        from stickbreaker.topics.learned import topics_in

        learned = topics_in(model, "a lexicon")
        analysis = learned.facts.analysis
        languages = (analysis.language,) if isinstance(analysis, Analysis) else analysis.languages
        if source not in languages and languages != (None,):
            problem = f"the topics are of texts in {' and '.join(map(str, languages))}, not in {source}"
            raise UserError(problem, remedy=f"learn topics of texts in {source}, or in both languages")
        self.model, self.source = learned, source

    @cached_property
    def names(self) -> list[str]:  # pyright: ignore[reportIncompatibleMethodOverride] (worked out once)
        language = self.source if self.model.vocabulary.languages else None
        tops = self.model.top_words(WORDS_OF_A_NAME, language)
        given = self.model.topic_names
        return [name or " ".join(words) for name, words in zip(given, tops, strict=True)]

    def shares(self, sources: Sequence[str], domains: Sequence[str]) -> Array:
        several = bool(self.model.vocabulary.languages)
        texts: list[Any] = [{self.source: text} for text in sources] if several else list(sources)
        if not texts:
            return np.zeros((0, len(self.model.alpha)))
        seen = Corpus.from_texts(texts, analysis=self.model.facts.analysis, vocabulary=self.model.vocabulary)
        blocks = range(len(seen.block_sizes))
        return np.concatenate([self.model.shares(seen, block) for block in blocks])

    def write(self, directory: Path) -> JsonObject:
        from stickbreaker.estimators.model_files import save

        save(self.model, directory / TOPICS)
        return {"kind": self.kind, "model": digest_of(directory / TOPICS / MANIFEST)}


class KnownDomains(Domains):
    """The values of a metadata field as domains: a document belongs entirely to its own domain; one without a
    known domain gets the mean shares of all documents.

    documents: the number of documents of each domain in `names`.
    """

    kind = "field"

    def __init__(self, names: Sequence[str], documents: Sequence[int]) -> None:
        self._names, self.documents = tuple(names), tuple(documents)

    @classmethod
    def of_bitext_fields(cls, bitext: Bitext) -> "KnownDomains":
        """The domains that a bitext's documents state. Raises UserError if none does."""
        known = [domain for domain in bitext.domains if domain]
        names = sorted(set(known))
        if not names:
            remedy = "name their field with --domain-field, or give --topics MODEL"
            raise UserError("no document has a domain", remedy=remedy)
        return cls(names, [known.count(name) for name in names])

    @property
    def names(self) -> Sequence[str]:
        return self._names

    def shares(self, sources: Sequence[str], domains: Sequence[str]) -> Array:
        all_documents = np.array(self.documents, np.float64) / max(1, sum(self.documents))
        shares = np.tile(all_documents, (len(domains), 1))
        places = {name: place for place, name in enumerate(self._names)}
        alone = np.eye(len(places))
        for number, domain in enumerate(domains):
            if domain in places:
                shares[number] = alone[places[domain]]
        return shares

    def write(self, directory: Path) -> JsonObject:
        return {"kind": self.kind, "names": list(self._names), "documents": list(self.documents)}


def read_domains(directory: Path, facts: JsonObject, source: str) -> Domains:
    """Read the domains that `write` saved in a lexicon's directory.

    facts: the entries that it returned for the manifest; source: the code of the source language. Raises
    UserError or ValueError if the entries are invalid or the saved topic model is another.
    """
    if facts.get("kind") == TopicDomains.kind:
        from stickbreaker.topics.learned import load_topics

        refuse_other_kinds(dict(facts), {"kind": is_text, "model": is_text})
        manifest = directory / TOPICS / MANIFEST
        if manifest.is_file() and digest_of(manifest) != facts["model"]:
            problem = "is not from the model that the lexicon was learned with"
            raise UserError(problem, where=manifest, remedy="restore it, or learn the lexicon again")
        return TopicDomains(load_topics(directory / TOPICS, "transform"), source)
    if facts.get("kind") != KnownDomains.kind:
        raise ValueError("domains have an unknown kind")
    refuse_other_kinds(
        dict(facts), {"kind": is_text, "names": list_of(is_text), "documents": list_of(is_count)}
    )
    if len(facts["names"]) != len(facts["documents"]):
        raise ValueError("domains and their numbers of documents differ")
    return KnownDomains(facts["names"], facts["documents"])
