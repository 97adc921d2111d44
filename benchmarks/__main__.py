"""The benchmarks by name: `python -m benchmarks hdp --full` runs one, `python -m benchmarks list` prints all.

`make bench WHAT=hdp FULL=1` does the same, and first installs the packages that the benchmark needs.
"""

from reproduce.catalogue import BENCH, Entry, main

DEFAULT = ("lda", "coherence", "texts", "starts", "queries")
BENCHMARKS = (
    Entry(
        "lda",
        "benchmarks.lda",
        "LDA compared with its peers on AP; 40 minutes. FULL=1: every size, two corpora, three seeds; 21 "
        "hours. MALLET=path/to/bin/mallet: with that program.",
        (BENCH,),
        ("--mallet",),
    ),
    Entry(
        "alpha",
        "benchmarks.alpha",
        "Learned alpha and topics compared with planted ones, by inference and length of documents; five "
        "minutes. FULL=1: three seeds; eight minutes.",
    ),
    Entry(
        "coherence",
        "benchmarks.coherence",
        "Coherence and diversity of topics' words, compared with NMF; half an hour.",
        (BENCH,),
    ),
    Entry(
        "short",
        "benchmarks.short",
        "Topics of titles and sentences, by each inference, with concepts of word vectors, by NMF and GSDMM; "
        "ten minutes.",
    ),
    Entry(
        "how-many",
        "benchmarks.how_many",
        "Numbers of topics against their coherence in documents not learned from, five collections; an hour.",
    ),
    Entry(
        "texts",
        "benchmarks.raw_texts",
        "Corpora built of raw texts, and from raw texts to topics in one command, compared with "
        "scikit-learn and gensim; five minutes.",
        (BENCH,),
    ),
    Entry(
        "starts",
        "benchmarks.starts",
        "Imports, first compilation, commands on a finished model, large tables; five minutes.",
    ),
    Entry(
        "queries",
        "benchmarks.queries",
        "One text, one row, one sentence, compared with gensim, scikit-learn and KenLM; ten minutes.",
        (BENCH, "kenlm"),
    ),
    Entry(
        "hdp",
        "benchmarks.hdp",
        "The HDP compared with gensim's and tomotopy's on AP and NIPS; two hours. FULL=1: three seeds; "
        "five and a half hours.",
        (BENCH,),
    ),
    Entry(
        "hdp-streams",
        "benchmarks.hdp_streams",
        "HDP topics of planted and real streams, which open and close; ten minutes. FULL=1: three seeds, "
        "two starts.",
    ),
    Entry(
        "open",
        "benchmarks.open_vocabulary",
        "Open vocabularies compared with a closed one and river; 12 minutes. FULL=1: a stream of five "
        "million documents; two hours.",
        (BENCH,),
    ),
    Entry(
        "streams",
        "benchmarks.streams",
        "Streams in order of time or sorted by label, compared with river, scikit-learn and gensim; 35 "
        "minutes. FULL=1: all sizes, three seeds; 20 hours.",
        (BENCH,),
    ),
    Entry(
        "spark",
        "benchmarks.spark",
        "LDA on Spark compared with MLlib's, on local[2]; some hours. QUICK=1: a small corpus, to see "
        "that everything works.",
    ),
    Entry(
        "ngrams",
        "benchmarks.ngrams",
        "Language models compared with KenLM; three minutes. KENLM=path/to/bin: with its lmplz.",
        ("kenlm",),
        ("--kenlm",),
    ),
    Entry(
        "grammars",
        "benchmarks.grammars",
        "Sweeps of adaptor grammars, learning online, and cutting text, compared with sentencepiece; "
        "seven minutes. PY_CFG=path/to/py-cfg: with that program.",
        ("sentencepiece",),
        ("--py-cfg",),
    ),
    Entry(
        "concepts",
        "benchmarks.concepts",
        "Passes and sweeps over concepts compared with those of a closed vocabulary; some minutes.",
    ),
    Entry(
        "alignment",
        "benchmarks.alignment",
        "Word alignment, German to English, compared with Thot's; ten minutes, most of them Thot's.",
        ("sil-thot>=3.5",),
    ),
)

if __name__ == "__main__":
    main("benchmarks", BENCHMARKS, DEFAULT)
