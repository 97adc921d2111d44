"""Adaptor grammars, as users import them."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from stickbreaker.core.errors import UserError
from stickbreaker.core.threads import alone_with
from stickbreaker.corpus.readers.arrow_tables import table_documents
from stickbreaker.corpus.readers.document_inputs import document_input, once_read
from stickbreaker.estimators.scikit_learn import ScikitLearn
from stickbreaker.estimators.settings import ELSEWHERE, positive
from stickbreaker.grammars.document_shares import shares_of
from stickbreaker.grammars.grammar_estimator import Subtree
from stickbreaker.grammars.grammar_stream import partial_fit
from stickbreaker.grammars.parsing import ParsedSentence, parsed, segmented_texts
from stickbreaker.grammars.plain_grammar import PlainAdaptorGrammar


class AdaptorGrammar(ScikitLearn, PlainAdaptorGrammar):
    __doc__ = PlainAdaptorGrammar.__doc__
    elsewhere: ClassVar[Mapping[str, str]] = {
        **ELSEWHERE,
        **dict.fromkeys(("n_components", "num_topics", "k"), "n_topics"),
    }

    def segment(
        self, texts: Iterable[str], nonterminal: str | None = None, *, random_state: int = 0
    ) -> list[list[str]]:
        """Each text cut where the subtrees of a symbol begin and end, in more than half of its trees.

        nonterminal: the symbol; None: "Word", or else the last that is adapted (not the first symbol of the
        grammar). Sentences that were learned from are cut by the sampler's own trees, where it kept any;
        others by trees that are drawn. Symbols that were not learned are cut around, by the probability that
        the model's page derives. A sentence that cannot be parsed, or is too long, is one piece.

        Raises UserError for a symbol that the grammar does not have, and for one that reads words.

        >>> texts = ["adog", "acat", "thedog", "thecat"] * 5
        >>> model = AdaptorGrammar("unigram", init="incremental", random_state=0).fit(texts)
        >>> model.segment(["thecat"])
        [['the', 'cat']]
        """
        check_is_fitted(self)
        found = segmented_texts(self, _texts(texts), nonterminal, random_state)
        return [one.pieces for one in found]

    def parse(
        self, texts: Iterable[str], how: str = "best", n: int = 10, *, random_state: int = 0
    ) -> list[ParsedSentence]:
        """Trees of texts' sentences: the "best"; `n` "samples"; or "minimum-risk", the one of many samples
        whose parts are expected most. With log p of each sentence in nats (-inf: it cannot be parsed), in
        which one mark stands for all new symbols, and how many of its symbols are new.

        >>> model = AdaptorGrammar(max_iter=50, random_state=0).fit(["ab", "cd"] * 5)
        >>> model.parse(["ab"])[0].trees[0].symbol
        'Sentence'
        """
        check_is_fitted(self)
        positive("n", n, whole=True)
        return list(parsed(self, _texts(texts), how, n, random_state))

    def document_shares(self, texts: Iterable[str], *, random_state: int = 0) -> NDArray[np.float64]:
        """The shares of topics in each text (documents × topics), by draws of its words' topics.

        For the grammar "topic" learned by hybrid inference; for other grammars with a symbol `by_document`,
        the shares of that symbol's rules. Words that were not learned from are read by their spelling. Raises
        UserError for grammars without such a symbol.

        >>> texts = ["river bank river boat", "loan money loan"] * 10
        >>> model = AdaptorGrammar("topic", inference="hybrid", n_topics=2, random_state=0).fit(texts)
        >>> model.document_shares(["boat river", "money"]).argmax(axis=1).tolist() in ([0, 1], [1, 0])
        True
        """
        check_is_fitted(self)
        return shares_of(self, _texts(texts), random_state)

    def partial_fit(self, X: Any, y: object = None) -> Self:
        """One online step on the texts `X`, in their order, by hybrid inference.

        The first call fixes the symbols of the text; later sentences with others are passed over. The
        schedule's `kappa` and `tau0` apply; `total`, or the sentences seen so far, is what a step stands for.
        Raises UserError for another way of inference, and for texts of which no tree comes to any sentence;
        with `unparsed="skip"` these change nothing, and warn (UserWarning). Of several threads one
        learns at a time.
        """
        with alone_with(self):
            begun = "state_" in vars(self)
            partial_fit(self, self._as_corpus(X, reset=not begun), begun=begun)
        return self

    def subtrees(self, symbol: str | None = None) -> list[Subtree]:
        check_is_fitted(self)
        return super().subtrees(symbol)

    subtrees.__doc__ = PlainAdaptorGrammar.subtrees.__doc__


def _texts(given: Any) -> list[str]:
    """Texts in any form that `fit` takes them in. Raises UserError for what is no texts."""
    given = once_read(given)
    if isinstance(given, list | tuple) and not given:
        return []
    form, values = document_input(given)
    texts = [document.text for document in table_documents(values)] if form == "table" else values
    found = [text for text in texts if isinstance(text, str)]
    if form not in ("table", "texts") or len(found) < len(texts):
        raise UserError("sentences that are not texts", remedy="give a list of texts")
    return found
