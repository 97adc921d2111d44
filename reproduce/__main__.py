"""The reproductions by name: `python -m reproduce hdp bars prior` runs some parts of one, `python -m
reproduce list` prints all.

`make reproduce WHAT=hdp PARTS="bars prior"` does the same, and first installs the packages that it needs.
"""

from reproduce.catalogue import BENCH, Entry, main

REPRODUCTIONS = (
    Entry(
        "mr-lda",
        "reproduce.mr_lda",
        "Chapters 3 and 4 of the thesis: tables and a figure; 21 minutes. FULL=1: more seeds, whole "
        "corpora; an hour.",
    ),
    Entry(
        "hdp",
        "reproduce.hdp",
        "Split-merge inference for the HDP: Figure 2 of the paper and its claims; 45 minutes. FULL=1: the "
        "paper's sizes, more seeds; two days.",
    ),
    Entry(
        "open-vocabulary",
        "reproduce.open_vocabulary",
        "Open vocabularies: Table 7.1 and Figures 7.3 to 7.6 of the thesis; 45 minutes. FULL=1: the "
        "paper's grids, five seeds; a day.",
        (BENCH,),
    ),
    Entry(
        "stream",
        "reproduce.arriving",
        "An HDP of open words learns on Spark from 20 Newsgroups by date; two minutes. FULL=1: all posts; "
        "five minutes.",
    ),
    Entry(
        "ngrams",
        "reproduce.ngrams",
        "Pitman-Yor language models compared with Kneser-Ney on Brown and the Penn Treebank; ten minutes. "
        "FULL=1: more splits and orders, and NIPS; 45 minutes.",
    ),
    Entry(
        "topic-ngrams",
        "reproduce.topic_ngrams",
        "Topic n-gram models compared with models without topics and unigram rescaling on Brown; 20 "
        "minutes. FULL=1: the paper's sweeps, longer contexts, NIPS and WikiText-2; three days.",
    ),
    Entry(
        "grammars-mcmc",
        "reproduce.grammars",
        "Adaptor grammars by Markov chain Monte Carlo on Brent's corpus and Chinese; 11 minutes. FULL=1: "
        "more seeds and sweeps, the whole of CTB6; an hour.",
    ),
    Entry(
        "grammars-online",
        "reproduce.grammars_online",
        "Adaptor grammars online, by hybrid inference, on Brent's corpus, Chinese and de-news; half an "
        "hour. FULL=1: more seeds, sweeps and passes; five hours.",
    ),
    Entry(
        "trees",
        "reproduce.trees",
        "LDA, pLDA, tLDA and ptLDA (chapter 5 of the thesis): pages that find their other side; 20 "
        "minutes. FULL=1: every way of inference on all pages; an hour.",
    ),
    Entry(
        "translation",
        "reproduce.translation",
        "Topics as domains of translation (chapter 5 of the thesis), German and English; 40 minutes. "
        "FULL=1: every model by every way of inference, five seeds, Chinese; half a day.",
    ),
    Entry(
        "syntax",
        "reproduce.syntax",
        "Syntactic topics and their limits on a planted language, the Treebank's sample, EWT and Sequoia; "
        "37 minutes. FULL=1: more sweeps; two hours.",
    ),
)

if __name__ == "__main__":
    main("reproduce", REPRODUCTIONS)
