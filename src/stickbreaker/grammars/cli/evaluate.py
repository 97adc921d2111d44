"""`stickbreaker evaluate` of a grammar: how well it cuts and predicts sentences."""

from stickbreaker.console.console import Outcome
from stickbreaker.console.document_scores import learned_from_lines
from stickbreaker.console.requests import ScoringRequest
from stickbreaker.core.errors import naming, noun_for
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.grammars.cli.segment import documents_of, load_grammar, note_new_symbols


def evaluate_grammar(asked: ScoringRequest) -> Outcome:
    """Score texts by a saved grammar (`grammar_scores`); returns the scores and the function to print them.

    The scores include "learned_from": the share of these documents that the grammar was learned from; None
    if they are not its own corpus, or if ids repeat. A note on standard error counts symbols that are new
    to the grammar.
    """
    from stickbreaker.corpus import Corpus
    from stickbreaker.grammars.grammar_scores import scores_of
    from stickbreaker.saved.own_corpus import share_of_own_corpus

    estimator = load_grammar(asked.model, "evaluate", None, overwrite=False)
    documents = documents_of(asked.inputs, asked.reading)
    ids, texts = [one.id or str(n) for n, one in enumerate(documents)], [one.text or "" for one in documents]
    with naming(" ".join(asked.inputs)):
        scores = scores_of(estimator, texts, asked.options["nonterminal"])
    note_new_symbols(scores["with_new_symbols"], scores["new_symbols"], scores["sentences"])
    learned = None
    if len(set(ids)) == len(ids):  # as those of every corpus do, they differ
        seen_by = {"analysis": estimator.analysis_, "vocabulary": estimator.vocabulary_}
        learned = share_of_own_corpus(asked.model, Corpus.from_texts(texts, ids, **seen_by))
    return {**scores, "learned_from": learned}, _as_text


def _as_text(scores: JsonObject) -> str:
    unparsed = f", {scores['unparsed']:,} of which cannot be parsed" if scores["unparsed"] else ""
    number, nats = scores["sentences"], scores["nats_per_symbol"]
    lines = [
        f"{number:,} {noun_for(number, 'sentence')}{unparsed}; {nats:.4f} nats/symbol of "
        f"{scores['symbols']:,}",
        *learned_from_lines(scores["learned_from"]),
    ]
    if "token" in scores:
        lines.append("            precision  recall     f1")
    for name in ("token", "boundary", "type"):
        if name in scores:
            part = scores[name]
            lines.append(f"  {name:<9} {part['precision']:9.3f} {part['recall']:7.3f} {part['f1']:6.3f}")
    return "\n".join(lines)
