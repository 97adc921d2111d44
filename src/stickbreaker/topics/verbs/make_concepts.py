"""Concepts of a dictionary or of word vectors: a tree of concepts over a corpus's words."""

import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from stickbreaker.core.arguments import path_in
from stickbreaker.core.errors import UserError, noun_for
from stickbreaker.core.files import write_atomic
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.parameter_fields import declared
from stickbreaker.corpus import Corpus, Vocabulary
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.text.languages import language_code
from stickbreaker.estimators.given_documents import as_corpus
from stickbreaker.estimators.given_models import learned_in, loaded_model
from stickbreaker.estimators.verb_results import VerbResult, plain
from stickbreaker.topics.concepts import concept_sources, dictionaries, vector_concepts
from stickbreaker.topics.concepts.concept_sources import BY_CHARACTERS, BY_WORDS, Selection
from stickbreaker.topics.concepts.dictionaries import Synset
from stickbreaker.topics.model.vocabularies.concept_tree import ConceptTree
from stickbreaker.topics.verbs.settings import ConceptSettings

Refuse = Callable[[tuple[str, ...], str], None]


@dataclass(frozen=True, kw_only=True, repr=False)
class Concepts(VerbResult):
    """A tree of concepts for the words of a corpus; `tree` is what `LDA(words=...)` takes.

    `concepts`: their number; `entries`: those that were read; `several_words`, `not_in_vocabulary`: those
    that were passed over, and why; `pairs`: of words that are left; `coverage`: by language, the share of
    the corpus's tokens that have a concept.
    """

    tree: ConceptTree = field(compare=False)
    concepts: int
    entries: int
    several_words: int
    not_in_vocabulary: int
    pairs: int
    coverage: Mapping[str, float]

    def as_json(self) -> JsonObject:
        values = vars(self).copy()
        del values["tree"]
        return plain(values)

    def write(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the tree, a concept per line. Raises UserError if the file exists, unless `overwrite`."""
        lines = "".join(f"{line}\n" for line in self.tree.lines())
        write_atomic(Path(path), lines.encode("utf-8"), overwrite=overwrite)

    def __str__(self) -> str:
        n, entries = self.concepts, self.entries
        of = f"of {entries:,} {noun_for(entries, 'entry', 'entries')}"
        lines = [f"{n:,} {noun_for(n, 'concept')} {of}"]
        if self.several_words or self.not_in_vocabulary:
            lines.append(
                f"passed over: {self.several_words:,} of several words, "
                f"{self.not_in_vocabulary:,} not in the corpus"
            )
        shares = [
            f"{100 * share:.0f} % of the tokens{f' in {code}' if code else ''}"
            for code, share in self.coverage.items()
        ]
        return "\n".join([*lines, "concepts have " + ", ".join(shares)])


def make_concepts(
    dictionary: str | Path,
    corpus: object,
    settings: ConceptSettings,
    *,
    refuse: Refuse | None = None,
    mistake: type[Exception] = UserError,
) -> Concepts:
    """Make concepts of a dictionary, WordNet or word vectors, for the words of a corpus.

    corpus: a corpus or model, the path of one, or texts. refuse: is called with the names of settings that do
    not apply to the dictionary, and why; by default raises UserError for those that were changed. Warns
    (UserWarning) about languages without concepts, and about what looks like a mistake. Raises UserError for
    an unusable file, and `mistake` for settings that do not go together.
    """

    def refuse_changed(names: tuple[str, ...], problem: str) -> None:
        for name in names:
            if getattr(settings, name) != declared(ConceptSettings)[name].default:
                raise UserError(f"`{name}` {problem}", remedy="leave it out")

    place = path_in("dictionary", dictionary, "a dictionary, WordNet or word vectors")
    vocabulary, analysis = words_of(corpus)
    found = _select(place, vocabulary, analysis, settings, refuse or refuse_changed, mistake)
    tree = ConceptTree(found.concepts)
    others = set(vocabulary.languages).difference(*(concept.words for concept in found.concepts))
    if others:
        every, some = ", ".join(vocabulary.languages), ", ".join(sorted(others))
        remedy = f"add words of {some} to the file, or take a corpus without"
        _warn(f"a concept ties languages by words in all of {every}; {remedy}")
    if found.is_reversed():
        columns = f"the first column seems to be in {settings.target}: {found.reversed_pairs:,} of "
        remedy = f"give --from {settings.target} --to {settings.source}"
        _warn(f"{columns}{found.entries:,} entries fit so; {remedy}")
    if found.mostly_characters():
        _warn(f"{BY_CHARACTERS}; {BY_WORDS}")
    return Concepts(
        tree=tree,
        concepts=len(found.concepts),
        entries=found.entries,
        several_words=found.several_words,
        not_in_vocabulary=found.not_in_vocabulary,
        pairs=found.pairs,
        coverage=found.coverage,
    )


def _warn(text: str) -> None:
    warnings.warn(text, UserWarning, stacklevel=3)


def words_of(corpus: object) -> tuple[Vocabulary, AnyAnalysis | None]:
    """The vocabulary of a corpus, a model, the path of either, or texts, and how texts become words.

    Raises UserError if there is nothing at the path.
    """
    if not isinstance(corpus, str | PathLike):
        learned = learned_in(corpus)
        if learned is not None:
            return learned.vocabulary, learned.facts.analysis
        given = as_corpus(corpus)
        return given.vocabulary, given.analysis
    path = Path(corpus)
    if (path / "model.json").exists():
        learned = loaded_model(path)
        return learned.vocabulary, learned.facts.analysis
    if not path.exists():
        raise UserError("no such corpus", where=path, remedy="build it with: stickbreaker corpus build")
    stored = Corpus.open(path)
    return stored.vocabulary, stored.analysis


def _select(
    dictionary: Path,
    vocabulary: Vocabulary,
    analysis: AnyAnalysis | None,
    settings: ConceptSettings,
    refuse: Refuse,
    mistake: type[Exception],
) -> Selection:
    """Make concepts for the words of a vocabulary from a file, a corpus or WordNet.

    refuse: is called with the names of settings that do not apply, and why. Raises UserError for an unusable
    file, and `mistake` for settings that do not go together.
    """
    source, target = (
        None if code is None else language_code(code) for code in (settings.source, settings.target)
    )
    synonyms = {language_code(code): Path(path) for code, path in (settings.synonyms or {}).items()}
    form, depth = settings.form, settings.depth
    if form == "vectors" or (form is None and vector_concepts.gives_vectors(dictionary)):
        refuse(_OF_DICTIONARIES, "is not for word vectors")
        levels = depth or 1
        if levels > 2:
            raise mistake("concepts of vectors have at most 2 levels: --depth 2")
        found = vector_concepts.vectors_at(dictionary, settings.words, vocabulary, analysis)
        return vector_concepts.concepts_of_vectors(found, vocabulary, analysis, settings.n_concepts, levels)
    refuse(("n_concepts", "words"), "is for word vectors: --format vectors")
    form = "wordnet" if form is None and dictionary.is_dir() else form
    file = None if form == "wordnet" else dictionaries.WordFile.open(dictionary, form)
    if file is None or file.form == "constraints":
        refuse(("target", "kind", "most", "min_count", "max_count", "traditional"), "is for dictionaries")
    if file is None:
        synsets = _synsets(dictionary, vocabulary, source, synonyms)
        return concept_sources.concepts_of_synsets(synsets, vocabulary, analysis, depth)
    refuse(("depth", "synonyms"), "is for WordNet")
    if file.form == "constraints":
        refuse(("source",), "is for dictionaries and WordNet")
        return concept_sources.concepts_of_constraints(file.constraints(), vocabulary, analysis)
    if file.form != "counts":
        refuse(("min_count", "max_count"), "needs counts, in a third column")
    if file.form != "cedict":
        refuse(("traditional",), "is for CC-CEDICT")
    if source is None or target is None:
        raise mistake("a dictionary needs --from and --to, the languages of its two sides")
    if settings.kind != "all":
        refuse(("most",), "needs --kind all")
    if settings.max_count is not None and settings.max_count < settings.min_count:
        raise mistake(f"--max-count {settings.max_count:g} is below --min-count {settings.min_count:g}")
    most_count = math.inf if settings.max_count is None else settings.max_count
    return concept_sources.concepts_of_pairs(
        file.entries(settings.traditional),
        vocabulary,
        analysis,
        (source, target),
        settings.kind,
        settings.most,
        settings.min_count,
        most_count,
    )


_OF_DICTIONARIES = ("source", "target", "kind", "most", "min_count", "max_count", "traditional", "synonyms")


def _synsets(
    database: Path, vocabulary: Vocabulary, source: str | None, synonyms: Mapping[str, Path]
) -> Iterator[Synset]:
    """Read the synsets of the WordNet database at `database`, with words in the languages of a vocabulary.

    `source`: the language of the database's words, None to use only the files of `synonyms`, which have words
    by language. Raises UserError if a vocabulary without language codes would get words of several languages,
    or one with codes gets no language.
    """
    if not vocabulary.languages:  # one language, which has no code
        if len(synonyms) + (source is not None) > 1:
            raise UserError("the corpus has one language", remedy="give its words by one --synonyms alone")
        file = next(iter(synonyms.values()), None)
        return (
            dictionaries.synsets_of(database)
            if file is None
            else dictionaries.synsets_of(database, None, {"": file})
        )
    if source is None and not synonyms:
        problem = f"the corpus has the languages {', '.join(vocabulary.languages)}"
        raise UserError(problem, remedy="name WordNet's by --from, and files of the others by --synonyms")
    return dictionaries.synsets_of(database, source, synonyms)
