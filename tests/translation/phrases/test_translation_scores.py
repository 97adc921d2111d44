"""Scores of translations are sacrebleu's, of the whole and of each domain."""

import pytest

from stickbreaker.translation.phrases.translation_scores import METRICS, translation_scores

OWN = ["the cat sat on the mat .", "", "a b c d e", "dogs by the river ran", "one"]
WANTED = ["on the mat the cat sat .", "nothing", "a b c d e", "the dogs ran by the river", ""]
DOMAINS = {"animals": [0, 3], "letters": [2], "empty": [1, 4], "none": []}


def wanted_scores(chosen):
    metrics = pytest.importorskip("sacrebleu.metrics")
    each = {"bleu": metrics.BLEU(tokenize="none", force=True), "ter": metrics.TER(), "chrf": metrics.CHRF()}
    sides = [[side[number] for number in chosen] for side in (OWN, WANTED)]
    scores = {name: one.corpus_score(sides[0], [sides[1]]).score for name, one in each.items()}
    return scores, {name: str(one.get_signature()) for name, one in each.items()}


def test_scores_are_those_of_sacrebleu():
    found = translation_scores(OWN, WANTED, DOMAINS)
    scores, signatures = wanted_scores(range(5))
    assert {name: found[name] for name in METRICS} == pytest.approx(scores, abs=1e-9)
    assert found["signatures"] == signatures
    assert list(found["domains"]) == ["animals", "letters", "empty"]
    for name, one in found["domains"].items():
        assert {metric: one[metric] for metric in METRICS} == pytest.approx(wanted_scores(DOMAINS[name])[0])


def test_metrics_that_are_not_asked_for_are_left_out():
    pytest.importorskip("sacrebleu")
    found = translation_scores(OWN, WANTED, DOMAINS, ("bleu",))
    assert {*found} == {"bleu", "length", "sentences", "domains", "signatures"}
    assert list(found["signatures"]) == ["bleu"]
    assert found["bleu"] == translation_scores(OWN, WANTED, {})["bleu"]
