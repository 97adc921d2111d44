"""The public class of adaptor grammars, `AdaptorGrammar`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.corpus.readers.arrow_tables import table_documents
from stickbreaker.corpus.readers.document_inputs import document_input, once_read
from stickbreaker.estimators.front import OnlineFront
from stickbreaker.estimators.setting_values import positive
from stickbreaker.grammars.document_shares import shares_of
from stickbreaker.grammars.model.grammar import Grammar
from stickbreaker.grammars.parsing import ParsedSentence, parsed, segmented_texts
from stickbreaker.grammars.text_grammar import Subtree

if TYPE_CHECKING:  # so that editors and type checkers know its parameters
    from stickbreaker.grammars.learned import GrammarLearned
    from stickbreaker.grammars.settings import GrammarSettings

    Front, Parameters = OnlineFront[GrammarSettings, GrammarLearned], GrammarSettings
else:
    Front, Parameters = OnlineFront, object


class AdaptorGrammar(Front, Parameters, kind="AdaptorGrammar"):
    """A grammar in which chosen ("adapted") symbols remember whole subtrees, such as words or collocations.

    Adaptor grammars: Johnson et al. 2007.

    Attributes
    ----------
    grammar_ : the `Grammar`; symbols_ its adapted symbols, general ones before those that they are made of.
    discounts_, concentrations_ : of the adapted symbols' Pitman-Yor processes.
    skipped_ : number of sentences that were skipped.
    bound_ : log p(sentences, trees, tables) of the last sample, in nats per symbol.
    n_iter_ : sweeps done; trace_ : list of records.
    learned_ : all that was learned, as a record that never changes.

    >>> from stickbreaker import AdaptorGrammar
    >>> texts = ["adog", "acat", "thedog", "thecat"] * 5
    >>> model = AdaptorGrammar("unigram", init="incremental", random_state=0).fit(texts)
    >>> model.segment(["thedogacat"])
    [['the', 'dog', 'a', 'cat']]
    """

    @property
    def grammar_(self) -> Grammar:
        """The grammar that was learned, with rules for the symbols of the text."""
        return self.learned_.model.grammar

    @property
    def symbols_(self) -> tuple[str, ...]:
        """The names of the adapted symbols; each comes before those that occur in its subtrees."""
        return self.learned_.model.symbols

    @property
    def discounts_(self) -> Array:
        """The discount of each adapted symbol."""
        return self.learned_.model.discounts

    @property
    def concentrations_(self) -> Array:
        """The concentration of each adapted symbol."""
        return self.learned_.model.concentrations

    @property
    def skipped_(self) -> int:
        """The number of sentences that were skipped."""
        return self.learned_.skipped

    def fit(self, X: object, y: object = None, *, sample_weight: object = None, **others: object) -> Self:
        """Learn a grammar from texts; each is one sentence (for the grammar "topic", a document).

        X: the texts: a Corpus, a list, an array, a column of a table or a generator. sample_weight: how often
        each text occurs (whole numbers from 0), for a list of words with counts. `fit(["the", "cat"],
        sample_weight=[3, 1])` is `fit(["the", "the", "the", "cat"])`, to the same bytes. Each occurrence has
        a tree of its own: a chain draws it given all others, so occurrences of a text may be cut differently.
        Time and memory grow with the sum of the counts.

        Raises UserError for invalid parameters or texts, and for weights that are negative or fractional.

        >>> model = AdaptorGrammar("morphology", max_iter=50, random_state=0)
        >>> model.fit(["walked", "walks", "talked"], sample_weight=[2, 1, 3]).corpus_["documents"]
        6
        """
        if sample_weight is not None:
            X = _repeated(X, sample_weight)
        return super().fit(X, y, **others)

    def segment(
        self, texts: Iterable[str], nonterminal: str | None = None, *, random_state: int = 0
    ) -> list[list[str]]:
        """Cut each text into pieces, such as words, at places where subtrees of a symbol begin or end.

        A place is cut if they do so in more than half of the trees sampled for the sentence. Training
        sentences use the trees of the run if it stored any; others use newly drawn trees. A sentence that
        cannot be parsed, or is too long, is one piece; an empty text has none. nonterminal: the symbol;
        None: "Word", or else the last adapted one (not the start symbol).

        Raises UserError for an unknown symbol, and for a grammar whose sentences are words.

        >>> texts = ["adog", "acat", "thedog", "thecat"] * 5
        >>> model = AdaptorGrammar("unigram", init="incremental", random_state=0).fit(texts)
        >>> model.segment(["thecat"])
        [['the', 'cat']]
        """
        check_is_fitted(self)
        found = segmented_texts(self.learned_.model, _texts(texts), nonterminal, random_state)
        return [one.pieces for one in found]

    def parse(
        self, texts: Iterable[str], how: str = "best", n: int = 10, *, random_state: int = 0
    ) -> list[ParsedSentence]:
        """Parse each sentence: returns its trees, its log p in nats, and its number of new symbols.

        how: "best", the most probable tree; "samples", `n` trees drawn given the sentence; "minimum-risk",
        the sampled tree that agrees best with all samples. A text has a result for each of its sentences
        (words, for the grammar "topic"), so none if it is empty; `document` is the text's index. If a
        sentence cannot be parsed, it has no trees, and log p is -inf. In log p, all symbols unseen in
        training count as one and the same symbol. Raises UserError for another `how`.

        >>> model = AdaptorGrammar(max_iter=50, random_state=0).fit(["ab", "cd"] * 5)
        >>> model.parse(["ab"])[0].trees[0].symbol
        'Sentence'
        """
        check_is_fitted(self)
        positive("n", n, whole=True)
        return list(parsed(self.learned_.model, _texts(texts), how, n, random_state))

    def document_shares(self, texts: Iterable[str], *, random_state: int = 0) -> NDArray[np.float64]:
        """The topic shares of each text (documents × topics), by sampling its words' topics.

        This is for the grammar "topic", learned by hybrid inference. For other grammars in which documents
        have their own weights for the start symbol's rules (`by_document`), it returns the shares of these
        rules. A text without words has the shares of the prior. New words are parsed by their spelling.
        Raises UserError for all other grammars.

        >>> texts = ["river bank river boat", "loan money loan"] * 10
        >>> model = AdaptorGrammar("topic", inference="hybrid", n_topics=2, random_state=0).fit(texts)
        >>> model.document_shares(["boat river", "money"]).argmax(axis=1).tolist() in ([0, 1], [1, 0])
        True
        """
        check_is_fitted(self)
        return shares_of(self.learned_.model, _texts(texts), random_state)

    def partial_fit(self, X: object, y: object = None) -> Self:
        """Learn from one more minibatch of texts, each a sentence, by one online step of hybrid inference.

        The first call fixes the symbols; later sentences with other symbols are skipped. The learning rate
        follows the schedule's `kappa` and `tau0`; a step's counts are scaled up to `total` sentences, or to
        those seen so far. Raises UserError for other inference, and if no sentence of the texts can be
        parsed; with `unparsed="skip"` such texts change nothing and warn (UserWarning). Concurrent calls wait
        for each other.
        """
        return super().partial_fit(X)

    def subtrees(self, symbol: str | None = None) -> list[Subtree]:
        """The remembered subtrees of each adapted symbol, most used first; or those of one `symbol` only.

        Raises UserError for a symbol that is not adapted.
        """
        check_is_fitted(self)
        return self.learned_.model.subtrees(symbol)


def _repeated(given: object, counts: object) -> list[str]:
    """The texts, each repeated as often as its count says.

    Raises UserError unless there is a whole number from 0 for each text.
    """
    texts, found = _texts(given), np.asarray(counts)
    if found.shape != (len(texts),):
        raise UserError(
            f"sample_weight has the shape {found.shape}, for {len(texts)} texts", remedy="give one per text"
        )
    if found.dtype.kind not in "iuf" or not bool(np.all((found >= 0) & (found == np.floor(found)))):
        raise UserError("sample_weight has other values than counts", remedy="give whole numbers from 0")
    return [text for text, count in zip(texts, found.tolist(), strict=True) for _ in range(int(count))]


def _texts(given: object) -> list[str]:
    """A list of the texts in any input that `fit` accepts. Raises UserError for anything else."""
    given = once_read(given)
    if isinstance(given, list | tuple) and not given:
        return []
    form, values = document_input(given)
    texts = [document.text for document in table_documents(values)] if form == "table" else values
    found = [text for text in texts if isinstance(text, str)]
    if form not in ("table", "texts") or len(found) < len(texts):
        raise UserError("some sentences are not texts", remedy="give a list of texts")
    return found
