"""Changes of one sign, or of one factor, each of which tests of `make test` must notice (of Spark, its own).

`python -m tests.mutations [TREE]` (`make mutations`) makes each in a copy of the tree, runs the tests that
are to notice it, and prints the first that failed. Tests that fail without the change do not count. The exit
status is 1 if a change survived, or could not be tried. TREE: another checkout.
"""

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from xml.etree import ElementTree

import grimp

TREE = Path(__file__).parents[1]
LIMIT = 1800  # seconds that the tests of one change may take
NOTICED, SURVIVED, NOT_TRIED = "noticed", "survived", "not tried"


class Mutation(NamedTuple):
    """A change of a sign or factor in a file of the package, and the tests that are to notice it."""

    file: str
    right: str
    wrong: str
    tests: str


MUTATIONS = {
    "the bound of mean-field": Mutation(
        "topics/kernels/mean_field.py",
        "terms += log_gamma64(gamma[k]) + (alpha[k] - gamma[k]) * expected",
        "terms += log_gamma64(gamma[k]) - (alpha[k] - gamma[k]) * expected",
        "tests/topics/kernels/test_mean_field.py tests/topics/model/test_lda.py",
    ),
    "a word's own counts in a document's probability": Mutation(
        "topics/kernels/left_to_right.py",
        "without[k] = max(gamma[k] - assigned[u, k] * one, alpha[k])",
        "without[k] = max(gamma[k], alpha[k])",
        "tests/topics/kernels/test_log_probability_kernel.py",
    ),
    "a draw of the hybrid": Mutation(
        "kernels/hybrid.py",
        "_from_prior(row, alpha, target - total)",
        "_from_prior(row, alpha, target + total)",
        "tests/kernels/test_hybrid_kernel.py",
    ),
    "one alpha while topics are alike": Mutation(
        "topics/model/priors/dirichlet.py",
        "step.seen < TOGETHER * documents",
        "step.seen > TOGETHER * documents",
        "tests/topics/model/test_learned_alpha.py",
    ),
    "the error of a rise": Mutation(
        "learning/convergence.py",
        "(after - before + 2.0 * error) / n",
        "(after - before - 2.0 * error) / n",
        "tests/learning/test_schedules.py",
    ),
    "a token's own count in Gibbs sampling": Mutation(
        "topics/kernels/samplers/gibbs.py",
        "own = np.float64(counted(counts[k], alpha[k], -one)) * less(word, k)",
        "own = np.float64(counted(counts[k], alpha[k], one)) * less(word, k)",
        "tests/topics/kernels/test_gibbs_sweeps.py tests/topics/model/test_gibbs.py",
    ),
    "the prior of a document by its metadata": Mutation(
        "topics/kernels/samplers/gibbs.py",
        "alpha = alphas[block.documents[t] * many]",
        "alpha = alphas[0]",
        "tests/topics/model/test_prevalence.py",
    ),
    "how a document's topics depend on its alpha": Mutation(
        "topics/kernels/document_terms.py",
        "terms_out.slopes[d, k] -= share * fall * alpha[k]",
        "terms_out.slopes[d, k] += share * fall * alpha[k]",
        "tests/topics/model/test_prevalence.py",
    ),
    "topics that are coupled by a document's length": Mutation(
        "topics/model/priors/prevalence_steps.py",
        "capacity = shared * 2.0**weakened + FLAT * np.eye(len(shared)) - lost",
        "capacity = shared * 2.0**weakened + FLAT * np.eye(len(shared)) + lost",
        "tests/topics/model/test_prevalence.py",
    ),
    "levels that are eliminated from a step": Mutation(
        "topics/model/priors/prevalence_steps.py",
        "return alone, own - through @ alone",
        "return alone, own + through @ alone",
        "tests/topics/model/test_prevalence_levels.py",
    ),
    "neighbours in a walk": Mutation(
        "topics/model/priors/prevalence_steps.py",
        "found[1:] -= pulled * values[:-1]",
        "found[1:] += pulled * values[:-1]",
        "tests/topics/model/test_prevalence_levels.py",
    ),
    "likeness of documents": Mutation(
        "topics/kernels/document_likeness.py",
        "row[documents[j]] += value * their_values[j]",
        "row[documents[j]] = value * their_values[j]",
        "tests/topics/kernels/test_document_likeness.py",
    ),
    "documents that have a word": Mutation(
        "kernels/document_frequencies.py",
        "if last[codes[i]] != d:",
        "if last[codes[i]] == d:",
        "tests/corpus/test_counting.py",
    ),
    "characters that end a phrase": Mutation(
        "kernels/word_spans.py",
        "if word < last and kind:",
        "if word < last and not kind:",
        "tests/corpus/test_word_finding.py",
    ),
    "letters after an apostrophe": Mutation(
        "kernels/word_spans.py",
        "if found or not classes[character] & inside:",
        "if found or classes[character] & inside:",
        "tests/corpus/test_word_finding.py",
    ),
    "letters on both sides of a middle dot": Mutation(
        "kernels/word_spans.py",
        "return before in _LS and after in _LS",
        "return before in _LS or after in _LS",
        "tests/corpus/test_word_finding.py",
    ),
    "a small letter after a full stop": Mutation(
        "kernels/word_spans.py",
        "return place if place > first_space and not small else -1",
        "return place if place > first_space else -1",
        "tests/corpus/test_word_finding.py",
    ),
    "the number of a word that was met": Mutation(
        "kernels/string_hash.py",
        "codes_out[i] = slots[slot]",
        "codes_out[i] = known - 1",
        "tests/corpus/test_word_finding.py",
    ),
    "documents between two halves": Mutation(
        "topics/kernels/split_merge.py",
        "lean = digamma64(first + tokens) - digamma64(second + total - tokens)",
        "lean = digamma64(first + tokens) + digamma64(second + total - tokens)",
        "tests/topics/kernels/test_split_merge_kernel.py tests/topics/model/test_split_merge.py",
    ),
    "the entropy of a token in two halves": Mutation(
        "topics/kernels/split_merge.py",
        "+ odds / (1.0 + odds) * logs)",
        "- odds / (1.0 + odds) * logs)",
        "tests/topics/kernels/test_split_merge_kernel.py",
    ),
    "what is left of a word after a topic is dissolved": Mutation(
        "topics/kernels/split_merge.py",
        "entropy += _x_log_x(before) - _x_log_x(after)",
        "entropy += _x_log_x(before) + _x_log_x(after)",
        "tests/topics/kernels/test_split_merge_kernel.py",
    ),
    "how cells bend the evidence of eta": Mutation(
        "kernels/dirichlet.py",
        "prior * counts[w, k] / (concentration[w, k] * concentration[w, k])",
        "prior * counts[w, k] / concentration[w, k]",
        "tests/kernels/test_dirichlet_kernel.py",
    ),
    "tables of a franchise": Mutation(
        "topics/kernels/franchise.py",
        "terms += log64(alpha) - size * log_stick",
        "terms += log64(alpha) + size * log_stick",
        "tests/topics/kernels/test_franchise_kernel.py tests/topics/model/test_franchise.py",
    ),
    "documents of a topic with a word": Mutation(
        "topics/kernels/document_counts.py",
        "scales[entry] = 1.0 / norm if norm > 0.0 else 0.0",
        "scales[entry] = norm if norm > 0.0 else 0.0",
        "tests/topics/kernels/test_document_counts_kernel.py tests/topics/model/test_word_documents.py",
    ),
    "spread of words": Mutation(
        "topics/kernels/document_counts.py",
        "sums[column + 3] += weight * whole[j]",
        "sums[column + 3] += weight * weight",
        "tests/topics/kernels/test_document_counts_kernel.py tests/topics/model/test_word_documents.py",
    ),
    "words' lower bound": Mutation(
        "topics/model/word_support.py",
        "squared = squares[k] - 2.0 * overall * product + overall**2 * product.sum()",
        "squared = squares[k] - overall * product + overall**2 * product.sum()",
        "tests/topics/model/test_word_documents.py",
    ),
    "company of words": Mutation(
        "topics/model/word_scores.py",
        "weights = np.tile(1.0 / np.log2(np.arange(n) + 2.0), (n, 1))",
        "weights = np.tile(1.0 * np.log2(np.arange(n) + 2.0), (n, 1))",
        "tests/topics/model/test_word_documents.py",
    ),
    "words' sticks": Mutation(
        "kernels/sticks.py",
        "left -= cells.values[k, slot] * cells.scale",
        "left += cells.values[k, slot] * cells.scale",
        "tests/kernels/test_sticks_kernel.py tests/topics/model/test_open_vocabulary.py",
    ),
    "what a split gains": Mutation(
        "topics/model/moves/acceptance.py",
        "+ prior) + float(values @ WHOLE)",
        "- prior) + float(values @ WHOLE)",
        "tests/topics/model/test_split_merge.py tests/topics/model/test_proposals.py",
    ),
    "gains on a half are those of all documents": Mutation(
        "topics/model/moves/acceptance.py",
        "gain *= step.scale * stats.documents / max(1.0, tried.documents)",
        "gain *= 1.0",
        "tests/topics/model/test_move_gains.py",
    ),
    "a merge in a stream": Mutation(
        "topics/model/moves/acceptance.py",
        "evidence(self._words(params), terms), step.scale)",
        "evidence(self._words(params), terms), 1.0)",
        "tests/topics/model/test_move_gains.py",
    ),
    "the half that judges": Mutation(
        "topics/model/moves/acceptance.py",
        'other = {"half": Field(np.array(1.0))}',
        'other = {"half": Field(np.array(0.0))}',
        "tests/topics/model/test_move_gains.py",
    ),
    "the paper's splits": Mutation(
        "topics/model/moves/acceptance.py",
        'gain = step.scale * (float(tried.usage["own"].values) + prior)',
        'gain = step.scale * float(tried.usage["own"].values) + prior',
        "tests/topics/model/test_move_gains.py",
    ),
    "gamma of the HDP": Mutation(
        "topics/model/priors/hdp.py",
        "n_topics / (1.0 - np.log(masses[-1]))",
        "n_topics / (-1.0 - np.log(masses[-1]))",
        "tests/topics/model/test_hdp.py",
    ),
    "the curvature of a symmetric alpha": Mutation(
        "topics/model/priors/polya.py",
        "curve = sums.bends.sum() - len(alpha) ** 2 * sums.spread_bend",
        "curve = sums.bends.sum() - len(alpha) * sums.spread_bend",
        "tests/topics/model/test_polya.py",
    ),
    "the learning rate": Mutation(
        "learning/schedules.py",
        "** -kappa)",
        "** kappa)",
        "tests/learning/test_schedules.py",
    ),
    "a merge of two positions": Mutation(
        "core/edits.py",
        "values[into] += values[source]",
        "values[into] -= values[source]",
        "tests/core/test_edits.py tests/learning/test_moves.py",
    ),
    "a token's own count among lists of topics": Mutation(
        "topics/kernels/samplers/tree_gibbs.py",
        "own = (lists.pairs[old, 1] - 1.0 + alpha[k]) * less",
        "own = (lists.pairs[old, 1] + alpha[k]) * less",
        "tests/topics/model/test_tree_gibbs.py",
    ),
    "the half of an exchange": Mutation(
        "topics/model/moves/exchange.py",
        "(second + of_all) / (first + second + 1.0)",
        "(first + of_all) / (first + second + 1.0)",
        "tests/topics/model/test_exchange.py",
    ),
    "the rest of an exchange": Mutation(
        "topics/model/moves/exchange.py",
        "= step.seen + WAIT * stats.documents",
        "= step.seen - WAIT * stats.documents",
        "tests/topics/model/test_exchange.py",
    ),
    "sums of a block on Spark": Mutation(
        "engines/spark/stats_sum.py",
        "totals += group_sums(",
        "totals -= group_sums(",
        "tests/spark/test_equality.py tests/spark/test_carried_records.py -k batch or hybrid or carried",
    ),
    "the last tail of sticks": Mutation(
        "grammars/model/processes.py",
        "tails = np.cumsum(uses[::-1])[::-1]",
        "tails = np.append(np.cumsum(uses[:0:-1])[::-1], 0.0)",
        "tests/grammars/model/test_processes.py tests/grammars/model/test_online_grammar.py",
    ),
    "a discount given who sits where": Mutation(
        "ngrams/model/hyperparameters.py",
        "left = generator.binomial(joined, (steps - 1.0) / (steps - discount)).sum()",
        "left = generator.binomial(joined, (steps - 1.0) / steps).sum()",
        "tests/ngrams/model/test_hyperparameters.py tests/ngrams/model/test_ngram_chain.py",
    ),
    "who leaves a topic's table": Mutation(
        "ngrams/kernels/topic_tables.py",
        "target -= np.float64(size) * entries[entry, NUMBER]",
        "target -= np.float64(entries[entry, NUMBER])",
        "tests/ngrams/model/test_topic_labels.py -k none",
    ),
    "topics of a word's document": Mutation(
        "ngrams/kernels/topic_sweeps.py",
        "weight = (counts[k] + prior[k]) * scale * p[k]",
        "weight = (counts[k] + 2.0 * prior[k]) * scale * p[k]",
        "tests/ngrams/model/test_topic_chain.py -k single_word",
    ),
    "words of the common topic": Mutation(
        "ngrams/kernels/topic_sweeps.py",
        "weights[0] = scratch.p[depth, 0] * (1.0 - chance)",
        "weights[0] = scratch.p[depth, 0] * chance",
        "tests/ngrams/model/test_topic_labels.py -k switching",
    ),
    "a block's tables in a topic's restaurant": Mutation(
        "ngrams/kernels/block_weights.py",
        "block.weights[k] *= _product(a, b, c, t, customers, tables) / empty",
        "block.weights[k] *= _product(a, b, c, t, customers, tables)",
        "tests/ngrams/model/test_topic_labels.py -k none",
    ),
    "a block's words in their documents": Mutation(
        "ngrams/kernels/block_weights.py",
        "inverse = 1.0 / (words.sizes[document] + before + total)",
        "inverse = 1.0 / (words.sizes[document] + total)",
        "tests/ngrams/kernels/test_topic_blocks_kernel.py",
    ),
    "what a topic draws from the common one": Mutation(
        "ngrams/kernels/mixed_topics.py",
        "rest = (1.0 - share) * _common(path[d], d, shorter, rooms, seats, priors)",
        "rest = (1.0 - share) * shorter",
        "tests/ngrams/kernels/test_topic_predictions_kernel.py -k hierarchical",
    ),
    "where a block's first table sends its customer": Mutation(
        "ngrams/kernels/mixed_topics.py",
        "if uniform(state) * scratch.weights[chosen] < share * below:",
        "if uniform(state) * scratch.weights[chosen] < below:",
        "tests/ngrams/model/test_topic_labels.py -k hierarchical",
    ),
    "how long a word's context is": Mutation(
        "ngrams/kernels/unbounded_topics.py",
        "stopping[d] = left * ends if d <= deepest else 0.0",
        "stopping[d] = ends if d <= deepest else 0.0",
        "tests/ngrams/model/test_topic_chain.py tests/ngrams/model/test_topic_rooms.py"
        " -k TestIndependentUnbounded or plain_model",
    ),
    "the odds of a switch": Mutation(
        "ngrams/kernels/switch_tables.py",
        "odds = exp64(min(common - topics, 700.0))",
        "odds = exp64(common - topics)",
        "tests/ngrams/kernels/test_switch_tables_kernel.py",
    ),
    "tables of a switch": Mutation(
        "ngrams/kernels/switch_tables.py",
        "share = shorter if slot % 2 == 1 else 1.0 - shorter",
        "share = 1.0 - shorter if slot % 2 == 1 else shorter",
        "tests/ngrams/kernels/test_switch_tables_kernel.py",
    ),
    "predictions of topics that draw on the common one": Mutation(
        "ngrams/kernels/topic_predictions.py",
        "p[k] = share * p[k] + (1.0 - share) * common",
        "p[k] = share * p[k] + (1.0 - share) * p[0]",
        "tests/ngrams/kernels/test_topic_predictions_kernel.py -k hierarchical",
    ),
    "what stands before a sentence": Mutation(
        "ngrams/kernels/pitman_yor.py",
        "text_out[at], text_out[at + 1] = -1, end",
        "text_out[at], text_out[at + 1] = end, end",
        "tests/ngrams/model/test_language_model.py",
    ),
    "the share of ends beside spelled words": Mutation(
        "ngrams/word_numbers.py",
        "return self.spelling.log_probability(words) + np.log1p(-self.end_share)",
        "return self.spelling.log_probability(words)",
        "tests/ngrams/test_ngram.py",
    ),
    "topics drawn given all others": Mutation(
        "ngrams/kernels/particles.py",
        "weights[z[i]] -= 1.0",
        "weights[z[i]] -= 0.5",
        "tests/ngrams/kernels/test_particles_kernel.py",
    ),
    "what longer contexts leave of a sum over words": Mutation(
        "ngrams/kernels/rescaling.py",
        "sums[s] *= shares.left[restaurant, s]",
        "sums[s] *= 1.0",
        "tests/ngrams/kernels/test_rescaling_kernel.py",
    ),
    "what new symbols leave to others": Mutation(
        "grammars/model/parser.py",
        "left[grammar.rules.parents[added]] -= shares",
        "left[grammar.rules.parents[added]] -= 0.0",
        "tests/grammars/model/test_new_symbols.py",
    ),
    "cuts within remembered subtrees": Mutation(
        "grammars/kernels/grammar_trees.py",
        "_count_once(position + inner[k], stamp, stamps, counts_out)",
        "_count_once(position, stamp, stamps, counts_out)",
        "tests/grammars/model/test_grammar_charts.py -k cuts",
    ),
    "derivations written out": Mutation(
        "grammars/kernels/grammar_trees.py",
        "sizes_out[row] += sizes_out[-1 - entries[at]] if entries[at] < 0 else 1",
        "sizes_out[row] += 2 if entries[at] < 0 else 1",
        "tests/grammars/model/test_grammar_charts.py -k cuts",
    ),
    "shares of derivations of a string": Mutation(
        "grammars/kernels/grammar_trees.py",
        "masses[place, string] += shares[row]",
        "masses[place, string] -= shares[row]",
        "tests/grammars/model/test_grammar_charts.py -k finite_language",
    ),
    "where subtrees within derivations end": Mutation(
        "grammars/kernels/grammar_trees.py",
        "while top >= 0 and stack[top] == -1:\n                top -= 1\n                number = _mark",
        "while top >= 0 and stack[top] == -1:\n                top -= 1\n                _mark",
        "tests/grammars/model/test_grammar_charts.py -k cuts",
    ),
    "numbers of keys": Mutation(
        "grammars/kernels/tree_cache.py",
        "value = 10 * value + (np.int64(byte) - 48)",
        "value = 10 * value - (np.int64(byte) - 48)",
        "tests/grammars/model/test_online_grammar.py -k numbers",
    ),
    "uses of cached trees by others": Mutation(
        "grammars/kernels/tree_cache.py",
        "values[k, slot] = own[k, slot] + tree_uses[row]",
        "values[k, slot] = own[k, slot] - tree_uses[row]",
        "tests/grammars/model/test_online_grammar.py -k cells",
    ),
    "rows of trees that are new": Mutation(
        "grammars/kernels/tree_cache.py",
        "for row in range(first, len(ids)):",
        "for row in range(len(ids)):",
        "tests/grammars/model/test_online_grammar.py -k growing",
    ),
    "a topic's gain beyond chance": Mutation(
        "topics/runs/stream_births.py",
        "gains.sum() - SURE * np.sqrt((gains**2).sum())",
        "gains.sum() + SURE * np.sqrt((gains**2).sum())",
        "tests/topics/test_births.py -k worth_having",
    ),
    "new topics, of which many are tried": Mutation(
        "topics/runs/stream_births.py",
        "BY_CHANCE * n / tried",
        "BY_CHANCE * n",
        "tests/topics/test_births.py -k few_documents",
    ),
    "tokens that a new topic takes": Mutation(
        "topics/runs/stream_births.py",
        "after[:, : trial.n_topics] -= trial.counts_of(worst)",
        "after[:, : trial.n_topics] += trial.counts_of(worst)",
        "tests/topics/test_births.py -k no_sum",
    ),
    "documents that are explained worst": Mutation(
        "topics/runs/stream_births.py",
        'np.argsort(lack, kind="stable")',
        'np.argsort(-lack, kind="stable")',
        "tests/topics/test_births.py -k explained_worst",
    ),
    "words that a topic on trial lacks": Mutation(
        "topics/model/vocabularies/words_on_trial.py",
        "left = np.minimum(left, self.left.min(initial=np.inf))",
        "left = np.maximum(left, self.left.min(initial=-np.inf))",
        "tests/topics/test_births.py -k order",
    ),
    "topics of a stream that open": Mutation(
        "topics/runs/topic_stream.py",
        "if not model.births:",
        "if model.births:",
        "tests/topics/test_births.py -k number_follows",
    ),
    "weights of topics beside a new one": Mutation(
        "topics/runs/topics_on_trial.py",
        "_scaled(grown, 1.0 - float(weights.sum()))",
        "_scaled(grown, 1.0 + float(weights.sum()))",
        "tests/topics/test_births.py -k weights",
    ),
    "halves of documents that are predicted": Mutation(
        "topics/runs/topics_on_trial.py",
        "((halves.first, halves.second), (halves.second, halves.first))",
        "((halves.first, halves.first), (halves.second, halves.second))",
        "tests/topics/test_births.py -k predicted",
    ),
    "sentences that end at boundaries": Mutation(
        "grammars/kernels/sentence_cutting.py",
        "if letter == boundary:\n                fresh = True",
        "if letter == boundary:\n                fresh = fresh",
        "tests/grammars/model/test_grammar_sentences.py",
    ),
    "the largest of points": Mutation(
        "kernels/dirichlet.py",
        "weight = concentration[w, k] / totals[k] / largest",
        "weight = concentration[w, k] / largest",
        "tests/topics/model/test_point_topics.py",
    ),
    "the density of points": Mutation(
        "topics/model/vocabularies/closed.py",
        "prior * np.log1p(counts / prior)",
        "prior * np.log1p(counts)",
        "tests/topics/model/test_point_topics.py",
    ),
    "what fades of a stream's words": Mutation(
        "learning/fading_counts.py",
        "self.counts *= FADING",
        "self.counts *= 1.0",
        "tests/learning/test_fading_counts.py tests/topics/evaluation/test_prequential.py",
    ),
    "shares of concepts below others": Mutation(
        "topics/model/vocabularies/concepts.py",
        "means[edge] *= means[entrance]",
        "means[edge] *= 1.0",
        "tests/topics/test_topic_words.py -k concept",
    ),
    "words of a tree, up to its root": Mutation(
        "syntax/kernels/tree_topics.py",
        "below_out[head, j] *= total",
        "below_out[head, j] = total",
        "tests/syntax/kernels/test_tree_topics_kernel.py",
    ),
    "draws of a tree": Mutation(
        "syntax/kernels/tree_topics.py",
        "row = k if head < 0 else topics_out[head]",
        "row = k",
        "tests/syntax/kernels/test_tree_topics_kernel.py",
    ),
    "what a branch says of its head": Mutation(
        "syntax/kernels/word_predictions.py",
        "own_of_head[j] *= total",
        "own_of_head[j] /= total",
        "tests/syntax/kernels/test_tree_topics_kernel.py",
    ),
    "the order of visits": Mutation(
        "syntax/kernels/visiting_order.py",
        "word = n - 1 - back",
        "word = back",
        "tests/syntax/kernels/test_visiting_order_kernel.py",
    ),
    "shares given U": Mutation(
        "syntax/kernels/shares_of_documents.py",
        "log_u = log_gamma_number(room.m[j], state) - _log_sum(room.sums)",
        "log_u = log_gamma_number(room.m[j], state) + _log_sum(room.sums)",
        "tests/syntax/kernels/test_shares_of_documents_kernel.py",
    ),
    "small Gamma numbers": Mutation(
        "kernels/random_gammas.py",
        "return result if shape >= 1.0 else result + log64(uniform(state)) / max(shape, LEAST_SHAPE)",
        "return result if shape >= 1.0 else result - log64(uniform(state)) / max(shape, LEAST_SHAPE)",
        "tests/syntax/kernels/test_shares_of_documents_kernel.py",
    ),
    "shares of documents in a chain": Mutation(
        "syntax/model/syntax_chain.py",
        "drawn = log_gammas(state.alpha_documents * state.tau + counts.documents, generator)",
        "drawn = log_gammas(state.alpha_documents + counts.documents, generator)",
        "tests/syntax/model/test_syntax_chain.py",
    ),
    "what is passed down a tree": Mutation(
        "syntax/kernels/tree_sums.py",
        "share /= ups[node, j]",
        "share *= ups[node, j]",
        "tests/syntax/kernels/test_tree_sums_kernel.py",
    ),
    "rates of shares below heads": Mutation(
        "syntax/kernels/mean_field_shares.py",
        "rates[i] += pulls[j] * expected.mean_pi[j, i]",
        "rates[i] -= pulls[j] * expected.mean_pi[j, i]",
        "tests/syntax/kernels/test_tree_sums_kernel.py",
    ),
    "the bound of shares that nobody normalises": Mutation(
        "syntax/kernels/mean_field_shares.py",
        "nats += shape - shape / rates[i] - prior * log64(rates[i])",
        "nats += shape - shape / rates[i] + prior * log64(rates[i])",
        "tests/syntax/kernels/test_tree_sums_kernel.py",
    ),
    "expected transitions": Mutation(
        "syntax/kernels/tree_sums.py",
        "report.transitions[j, i] += room.chances[j, i] * room.pairs[j, i]",
        "report.transitions[j, i] += room.pairs[j, i]",
        "tests/syntax/kernels/test_tree_sums_kernel.py",
    ),
    "weights of topics": Mutation(
        "syntax/model/syntax_weights.py",
        "linear = slope - 2.0 * bend * at",
        "linear = slope + 2.0 * bend * at",
        "tests/syntax/model/test_syntax_model.py -k highest",
    ),
    "what grammar costs": Mutation(
        "syntax/model/syntax_weights.py",
        "return (np.log(q_pi.rates) - 1.0 + (1.0 + pulls) / q_pi.rates).sum(axis=0)",
        "return (1.0 - np.log(q_pi.rates) + (1.0 + pulls) / q_pi.rates).sum(axis=0)",
        "tests/syntax/model/test_syntax_model.py -k bound_never_falls",
    ),
    "what comes after a link between words": Mutation(
        "translation/kernels/ordered_alignment.py",
        "room.links[j, i] *= room.after[i + 1]",
        "room.links[j, i] *= room.after[i]",
        "tests/translation/kernels/test_word_alignment_kernels.py",
    ),
    "words without a translation, between two links": Mutation(
        "translation/kernels/ordered_alignment.py",
        "p = total + null * room.after[state]",
        "p = total - null * room.after[state]",
        "tests/translation/kernels/test_word_alignment_kernels.py",
    ),
    "jumps that many positions share": Mutation(
        "translation/kernels/ordered_alignment.py",
        "(m - last - WIDEST if jump > 0 else last + 1 - WIDEST)",
        "(m - last - WIDEST if jump > 0 else last - 1 - WIDEST)",
        "tests/translation/kernels/test_word_alignment_kernels.py",
    ),
    "links grown between words that have one": Mutation(
        "translation/kernels/growing_links.py",
        "if in_either and not (linked_targets[t] and linked_sources[s]):",
        "if in_either and not (linked_targets[t] or linked_sources[s]):",
        "tests/translation/test_symmetrization.py",
    ),
    "the weight of a shorter context": Mutation(
        "ngrams/kernels/backoff_trigrams.py",
        "log_weight += model.back_off[node]",
        "log_weight -= model.back_off[node]",
        "tests/ngrams/test_backoff_model.py",
    ),
    "what n-grams of topics leave to other words": Mutation(
        "translation/kernels/topic_mixtures.py",
        "left[context] -= p[node]",
        "left[context] -= p[shorter[node]]",
        "tests/translation/test_topic_backoff_model.py",
    ),
    "what a topic gives an n-gram": Mutation(
        "translation/kernels/topic_mixtures.py",
        "total += shares[k] * inside[node, k]",
        "total += inside[node, k] / n_topics",
        "tests/translation/test_topic_backoff_model.py",
    ),
    "a jump between spans": Mutation(
        "translation/kernels/decoder.py",
        "candidates.jumps[table] = -weights.distortion * distance",
        "candidates.jumps[table] = weights.distortion * distance",
        "tests/translation/test_decoder.py",
    ),
    "translations that continue alike": Mutation(
        "translation/kernels/search_graph.py",
        "if graph.states[node] == graph.states[new] and _same_place(graph, node, new):",
        "if _same_place(graph, node, new):",
        "tests/translation/kernels/test_search_graph_kernel.py",
    ),
    "what comes after an edge": Mutation(
        "translation/kernels/best_paths.py",
        "gain = ends.gains[end] + (graph.totals[edge] - graph.scores[tail])",
        "gain = ends.gains[end] - (graph.totals[edge] - graph.scores[tail])",
        "tests/translation/test_decoder.py",
    ),
    "phrases with a word that is linked outside": Mutation(
        "translation/kernels/phrase_extraction.py",
        "if t_low[s] >= 0 and (t_low[s] < t or t_high[s] >= t_end):",
        "if t_low[s] >= 0 and (t_low[s] < t and t_high[s] >= t_end):",
        "tests/translation/kernels/test_phrase_extraction.py",
    ),
    "the last word that a word is linked with": Mutation(
        "translation/kernels/phrase_extraction.py",
        "high[t] = max(high[t], s)",
        "high[t] = min(high[t], s)",
        "tests/translation/kernels/test_phrase_extraction.py",
    ),
    "words without a link before a phrase": Mutation(
        "translation/kernels/phrase_extraction.py",
        "while s >= 0 and (s == least or t_low[s] < 0) and most - s < MOST:",
        "while s >= 0 and (s == least or t_low[s] < 0) and most - s < MOST - 1:",
        "tests/translation/kernels/test_phrase_extraction.py",
    ),
    "the base of a table that opens": Mutation(
        "ngrams/kernels/mixed_topics.py",
        "below = scratch.p[depth - 1, k] if depth > 0 else priors.base[slot]",
        "below = scratch.p[depth, k] if depth > 0 else priors.base[slot]",
        "tests/ngrams/kernels/test_topic_predictions_kernel.py -k sends_on",
    ),
    "topics of words' heads": Mutation(
        "syntax/kernels/shares_of_documents.py",
        "room.m[k if head < 0 else room.topics[head]] += 1.0",
        "room.m[k if head < 0 else room.topics[node]] += 1.0",
        "tests/syntax/kernels/test_shares_of_documents_kernel.py -k counted",
    ),
    "rows of pi in the density of tau": Mutation(
        "syntax/model/syntax_chain.py",
        "n_rows = float(state.alpha_transitions), k + 1 if grammar else 0",
        "n_rows = float(state.alpha_transitions), k if grammar else 0",
        "tests/syntax/model/test_syntax_chain.py -k all_rows",
    ),
    "rates of pi by the shares just drawn": Mutation(
        "syntax/model/syntax_chain.py",
        "log_rates = np.logaddexp(0.0, log_products(log_u.T, state.log_theta))",
        "log_rates = np.logaddexp(0.0, log_products(log_u.T, self.state.log_theta))",
        "tests/syntax/model/test_syntax_chain.py -k just_drawn",
    ),
    "the topic that gains a closed one's tokens": Mutation(
        "topics/runs/stream_births.py",
        "takes = names[int((rest[users].sum(axis=0) - before).argmax())]",
        "takes = names[int((rest[users].sum(axis=0) - before).argmin())]",
        "tests/topics/test_births.py -k gains_its_tokens",
    ),
    "tokens inferred again after a closing": Mutation(
        "topics/runs/stream_births.py",
        "rest[users] = other.tokens(bags.take(users))",
        "rest[users] = rest[users]",
        "tests/topics/test_births.py -k gains_its_tokens or tried_later",
    ),
    "weights of candidates": Mutation(
        "topics/runs/stream_births.py",
        "weights = np.maximum(WORST * own.sum(axis=0) / made.counts.sum(), LEAST_WEIGHT)",
        "weights = np.maximum(own.sum(axis=0) / made.counts.sum(), LEAST_WEIGHT)",
        "tests/topics/test_births.py -k weights_of_new_topics_are",
    ),
    "longer documents are explained worse": Mutation(
        "topics/runs/stream_births.py",
        "lack = (gains - (gains * tokens).sum() / tokens.sum()) * np.sqrt(tokens)",
        "lack = gains - (gains * tokens).sum() / tokens.sum()",
        "tests/topics/test_births.py -k longer",
    ),
    "the gap at a sentence's end": Mutation(
        "translation/kernels/decoder.py",
        "return total + sentence.spans[gap, sentence.n]",
        "return total + 0.0 * gap",
        "tests/translation/test_decoder.py -k all_gaps",
    ),
    "the mean of topics in ratios": Mutation(
        "ngrams/unigram_rescaling.py",
        "p = topics.topic_word.T @ (topics.topic_shares / topics.topic_shares.sum())",
        "p = topics.topic_word.mean(axis=0)",
        "tests/ngrams/test_unigram_rescaling.py -k by_their_shares",
    ),
    "degrees of freedom of effects": Mutation(
        "topics/evaluation/effects.py",
        "spread = np.sqrt(rest / (n - terms))",
        "spread = np.sqrt(rest / n)",
        "tests/topics/evaluation/test_effects.py -k degrees",
    ),
    "half of the topics in use": Mutation(
        "topics/search/topic_search.py",
        "if half >= max(1, fewest.used)",
        "if half > max(1, fewest.used)",
        "tests/topics/test_topic_search.py -k half_of_the_topics",
    ),
    "the mean over a word's links": Mutation(
        "translation/kernels/phrase_extraction.py",
        "out[word] = np.log(total / (last - first))",
        "out[word] = np.log(total * (last - first))",
        "tests/translation/phrases/test_phrase_model.py",
    ),
}


def copy_of(tree: Path, place: Path) -> Path:
    """A copy of what tests need of a checkout, with the kernels that are compiled there."""
    for name in ("src", "tests", "audit", "reproduce"):
        shutil.copytree(tree / name, place / name)
    shutil.copy2(tree / "pyproject.toml", place)
    return place


@functools.cache
def imports_of(tree: Path) -> grimp.ImportGraph:
    """What the modules of the package import."""
    sys.path.insert(0, str(tree / "src"))
    try:
        return grimp.build_graph("stickbreaker", exclude_type_checking_imports=True, cache_dir=None)
    finally:
        sys.path.pop(0)


def forget_compiled(tree: Path, file: str, graph: grimp.ImportGraph) -> None:
    """Remove the compiled kernels of a file and of all that import it.

    Numba does not compile a kernel again when a function that it calls, in another file, has changed.
    """
    changed = ".".join(["stickbreaker", *Path(file).with_suffix("").parts]).removesuffix(".__init__")
    for module in (changed, *graph.find_downstream_modules(changed)):
        *folders, name = module.split(".")
        for compiled in (tree / "src").joinpath(*folders, "__pycache__").glob(f"{name}.*.nb?"):
            compiled.unlink()


def apply_to(tree: Path, mutation: Mutation) -> None:
    """Make a change; ValueError where its line is not there, or not once."""
    file = tree / "src" / "stickbreaker" / mutation.file
    text = file.read_text("utf-8")
    if text.count(mutation.right) != 1:
        raise ValueError(f"{mutation.file} does not have this once: {mutation.right}")
    file.write_text(text.replace(mutation.right, mutation.wrong), "utf-8")


def tier_of(tests: str) -> str:
    """The tier in which tests run: the first, in which those on Spark are not."""
    return "all" if "tests/spark" in tests else "first"


def outcomes(tree: Path, tests: str, most_failures: int = 0) -> tuple[int, list[str]]:
    """How many tests ran until as many failed (0: all), and which failed. RuntimeError if none was found."""
    paths, _, chosen = tests.partition(" -k ")
    report = tree / "report.xml"
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"--junitxml={report}"]
    options += ["-k", chosen, f"--maxfail={most_failures}"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *paths.split()],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree / "src"), "STICKBREAKER_TIER": tier_of(tests)},
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    if done.returncode == 5:  # none is of this tier
        return 0, []
    if done.returncode not in (0, 1):  # all passed, or some failed
        raise RuntimeError(f"pytest ended with {done.returncode}: {(done.stdout + done.stderr)[-2000:]}")
    cases = list(ElementTree.parse(report).iter("testcase"))
    red = [each for each in cases if each.find("failure") is not None or each.find("error") is not None]
    names = [f"{each.get('classname', '').removeprefix('tests.')}::{each.get('name')}" for each in red]
    return len(cases), sorted(names)


def red_without_change(tree: Path) -> set[str]:
    """The tests that fail as the tree is."""
    with TemporaryDirectory() as place:
        copy = copy_of(tree, Path(place))
        every = {mutation.tests for mutation in MUTATIONS.values()}
        return {name for tests in sorted(every) for name in outcomes(copy, tests)[1]}


def outcome(tree: Path, name: str, mutation: Mutation, red_before: set[str]) -> str:
    """What became of a change: noticed, survived, or not tried; prints which tests noticed it."""
    with TemporaryDirectory() as place:
        copy = copy_of(tree, Path(place))
        try:
            apply_to(copy, mutation)
            forget_compiled(copy, mutation.file, imports_of(TREE))
            # one test that notices it is enough
            number, red = outcomes(copy, mutation.tests, len(red_before) + 1)
        except (ValueError, RuntimeError, subprocess.TimeoutExpired) as error:
            print(f"{name}: NOT TRIED: {error}", flush=True)
            return NOT_TRIED
    red = [test for test in red if test not in red_before]
    verdict = (
        f"{len(red)} of {number} tests that ran failed"
        if red
        else f"SURVIVED {number} tests: {mutation.tests}"
    )
    print(f"{name} ({mutation.file}): {verdict}", flush=True)
    for test in red:
        print(f"    {test}", flush=True)
    return NOTICED if red else SURVIVED


def main() -> None:
    """Try every change."""
    tree = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else TREE
    red_before = red_without_change(tree)
    for test in sorted(red_before):
        print(f"fails without any change: {test}", flush=True)
    found = {name: outcome(tree, name, mutation, red_before) for name, mutation in MUTATIONS.items()}
    wrong = [f"{kind}: {name}" for kind in (SURVIVED, NOT_TRIED) for name, of in found.items() if of == kind]
    print(f"{len(found) - len(wrong)} of {len(found)} changes were noticed", flush=True)
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
