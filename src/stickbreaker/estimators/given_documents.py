"""Documents in the forms that users have (texts, tokens, tables, matrices, files, a Corpus), for verbs."""

from collections.abc import Callable, Sequence
from typing import Any

from stickbreaker.core.errors import UserError, counted
from stickbreaker.corpus import Analysis, Bags, Corpus, Vocabulary, VocabularyRule
from stickbreaker.corpus.building import WORTH_A_KERNEL, AnyAnalysis
from stickbreaker.corpus.metadata import is_strings
from stickbreaker.corpus.readers.arrow_tables import table_documents
from stickbreaker.corpus.readers.document_inputs import DocumentInput, document_input
from stickbreaker.corpus.token_bags import bags_of_texts
from stickbreaker.estimators.document_paths import DocumentPath, files_in
from stickbreaker.estimators.learned import AnyLearned


def corpus_for(learned: AnyLearned, documents: object) -> Corpus:
    """Documents in any form as a corpus with the words of a model.

    Texts, and tables with a column `text`, are analysed as the model's were, and so are files: a path is that
    of files, or of a stored corpus. The columns of a matrix are the model's words, in order; with an open
    vocabulary, its columns are named by words. Raises UserError for anything else.
    """
    learner, settings = learned.learner, learned.facts.settings
    return corpus_by(
        documents,
        learned.facts.analysis,
        learned.vocabulary,
        trees=learner.reads_trees,
        is_open=learner.is_open(settings),
        tokens_of=lambda tokens: learner.tokens_of_document(settings, tokens),
    )


def as_corpus(documents: Any) -> Corpus:
    """A corpus as it is or at a path, or one of files, texts, tokens, a table or a matrix.

    Raises UserError for anything else.
    """
    if isinstance(documents, Corpus):
        return documents
    if isinstance(files := files_in(documents), DocumentPath):
        return files.as_own_corpus()
    given = document_input(documents)
    return Corpus.from_matrix(given.values) if given.form == "matrix" else corpus_of_documents(given)


def corpus_by(
    documents: object,
    analysis: AnyAnalysis,
    vocabulary: Vocabulary,
    *,
    trees: bool = False,
    is_open: bool = False,
    tokens_of: Callable[[Sequence[str]], Sequence[str]] = list,
) -> Corpus:
    """Documents in any form as a corpus, by an analysis and a vocabulary; as `corpus_for`.

    trees: files are read with heads and tags; is_open: the vocabulary is open; tokens_of: returns those of a
    list of tokens that count.
    """
    files = files_in(documents)
    if files is not None:
        return files.as_corpus(analysis, vocabulary, trees=trees)
    if isinstance(documents, Corpus):
        return documents if documents.vocabulary is vocabulary else documents.with_vocabulary(vocabulary)
    given = document_input(documents, empty_lists=True)
    if given.form == "tokens":
        given = given._replace(values=list(map(tokens_of, given.values)))
    if given.form != "matrix":
        return corpus_of_documents(given, analysis, vocabulary)
    return _corpus_of_counts(given.values, vocabulary, is_open=is_open)


def _corpus_of_counts(matrix: Any, vocabulary: Vocabulary, *, is_open: bool) -> Corpus:
    """A matrix of counts, or a table of them, as a corpus with the words of a model."""
    names = getattr(matrix, "columns", None)
    words = None if names is None else list(map(str, names))
    if is_open:
        if words is None:
            problem = "a matrix of counts was given to a model whose words can be any"
            raise UserError(problem, remedy="give a table whose columns are words, or texts")
        return Corpus.from_matrix(matrix, feature_names=words).with_vocabulary(vocabulary)
    shape = getattr(matrix, "shape", None) or (len(matrix), len(matrix[0]))
    if len(shape) != 2 or shape[1] != len(vocabulary):
        problem = (
            f"the matrix has {counted(shape[-1], 'column')}, the model {counted(len(vocabulary), 'word')}"
        )
        raise UserError(problem, remedy="give a column for each word of the model, in order, or texts")
    if words is not None and tuple(words) != vocabulary.words:
        remedy = "give the columns of the fit, in order"
        raise UserError("the columns of the table are not the words of the model", remedy=remedy)
    return Corpus.from_matrix(matrix, vocabulary)


def corpus_of_documents(
    given: DocumentInput,
    analysis: AnyAnalysis | None = None,
    vocabulary: Vocabulary | None = None,
    rule: VocabularyRule | None = None,
    *,
    ordered: bool = True,
) -> Corpus:
    """Make a corpus of texts, lists of tokens or a table; lists of tokens become bags if not `ordered`.

    For lists of tokens, a given vocabulary is used only if `ordered`, and `analysis` only to join phrases.
    """
    from stickbreaker.corpus.token_bags import corpus_of_tokens

    if given.form == "texts":
        return Corpus.from_texts(given.values, analysis=analysis, vocabulary=vocabulary, rule=rule)
    if given.form == "table":
        documents = table_documents(given.values)
        return Corpus.from_documents(documents, analysis=analysis, vocabulary=vocabulary, rule=rule)
    if not ordered:
        return corpus_of_tokens(given.values)
    joins = analysis if analysis is not None and analysis.phrases and vocabulary is not None else None
    return Corpus.from_tokens(given.values, analysis=joins, vocabulary=vocabulary, rule=rule)


def few_bags(documents: object, analysis: AnyAnalysis, vocabulary: Vocabulary) -> Bags | None:
    """Texts as bags of known words, if these are so few that a corpus of them would take longer than they do;
    None for many, and for documents in any other form. Unknown words may go uncounted.
    """
    if not (is_strings(documents) and documents) or vocabulary.hashed or vocabulary.languages:
        return None
    few = sum(map(len, documents)) <= WORTH_A_KERNEL  # a compiled kernel finds the words of more
    if not few or not isinstance(analysis, Analysis) or any(map(analysis.marks_in, documents)):
        return None
    return bags_of_texts(documents, analysis.resolved(), vocabulary)
