"""The declaration of LDA and the HDP as kinds of models."""

from dataclasses import replace

from stickbreaker.core.option_names import OptionNames
from stickbreaker.estimators.kinds import OF_CORPUS, Command, Export, Kind, VerbFunction

OF_TOPICS = (
    "topics",
    "name",
    "merge",
    "transform",
    "evaluate",
    "nearest",
    "effect",
    "over-time",
    "intruders",
    "compare",
    "report",
    "export",
    "stream",
    "partial_fit",
    "update",
)
COMMANDS = {
    "concepts": Command(
        "stickbreaker.topics.cli.make_concepts:concepts",
        "Make concepts from a dictionary, to tie words in topics.",
        after="corpus",
    ),
    "name": Command(
        "stickbreaker.topics.cli.name:name",
        "Name the topics of a model; topics with the same name are merged in reports.",
        after="topics",
    ),
    "merge": Command(
        "stickbreaker.topics.cli.merge:merge", "Merge topics of a model for good, or reduce their number."
    ),
    "nearest": Command(
        "stickbreaker.topics.cli.nearest:nearest", "Find documents similar to others.", after="evaluate"
    ),
    "effect": Command(
        "stickbreaker.topics.cli.effect:effect",
        "Estimate effects of metadata on topics, by a formula as in R.",
    ),
    "over-time": Command(
        "stickbreaker.topics.cli.over_time:over_time",
        "Show topic shares by year, month or other period, with bounds.",
    ),
    "intruders": Command(
        "stickbreaker.topics.cli.intruders:intruders",
        "Write a quiz: which word does not belong to the topic?",
    ),
    "compare": Command(
        "stickbreaker.topics.cli.compare:compare", "Match the topics of models: which do they share?"
    ),
    "search-k": Command("stickbreaker.topics.cli.search_k:search_k", "Choose the number of topics."),
}
EXPORTS = {
    "mallet-topic-keys": Export(
        "stickbreaker.topics.cli.export:write_topics",
        "one line per topic: number, alpha, top words",
        options=("top", "threads"),
    ),
    "gensim-topics": Export(
        "stickbreaker.topics.cli.export:write_topics",
        "one line per topic: top words with probabilities (a model for gensim:\n"
        "stickbreaker.topics.exporting.to_gensim, in Python)",
        options=("top", "threads"),
    ),
    "mallet-doc-topics": Export(
        "stickbreaker.topics.cli.export:write_documents",
        "one line per document: number, id, topic shares",
        of_documents=True,
        options=("top", "threads"),
    ),
    "pyldavis": Export(
        "stickbreaker.topics.cli.export:write_documents",
        "JSON with the arguments of pyLDAvis.prepare",
        of_documents=True,
        options=("top", "threads", "language"),
    ),
}
FUNCTIONS = {
    "evaluate": VerbFunction(
        "stickbreaker.topics.verbs.evaluate:evaluate",
        "stickbreaker.topics.verbs.settings:ScoreSettings",
        documents=OF_CORPUS,
    ),
    "topics": VerbFunction(
        "stickbreaker.topics.verbs.topics:topics_of", "stickbreaker.topics.verbs.settings:TopicsSettings"
    ),
    "nearest": VerbFunction(
        "stickbreaker.topics.verbs.nearest:nearest",
        "stickbreaker.topics.verbs.settings:NearestSettings",
        documents=OF_CORPUS,
    ),
    "effect": VerbFunction(
        "stickbreaker.topics.verbs.effect:effects",
        "stickbreaker.topics.verbs.settings:EffectSettings",
        documents=OF_CORPUS,
    ),
    "over-time": VerbFunction(
        "stickbreaker.topics.verbs.over_time:over_time",
        "stickbreaker.topics.verbs.settings:OverTimeSettings",
        documents=OF_CORPUS,
    ),
    "intruders": VerbFunction(
        "stickbreaker.topics.verbs.intruders:intruders",
        "stickbreaker.topics.verbs.settings:IntruderSettings",
    ),
    "compare": VerbFunction(
        "stickbreaker.topics.verbs.compare:compare",
        "stickbreaker.topics.verbs.settings:CompareSettings",
    ),
}
LDA = Kind(
    name="LDA",
    noun="topic model",
    learner="stickbreaker.topics.learner:LDA",
    front_door="stickbreaker.topics.lda:LDA",
    verbs=(*OF_TOPICS, "search-k"),
    fit={"lda": "stickbreaker.topics.cli.fit:lda"},
    commands=COMMANDS,
    exports=EXPORTS,
    functions={
        **FUNCTIONS,
        "search-k": VerbFunction(
            "stickbreaker.topics.verbs.search_topics:search_topics",
            "stickbreaker.topics.verbs.settings:SearchSettings",
        ),
    },
    unigram_topics="stickbreaker.topics.topics_over_words:topics_over_words",
    summary="stickbreaker.topics.cli.search_summary:summarize_search",
    declared="stickbreaker.topics.settings:LDASettings",
    parameters=OptionNames(
        alike=("alpha", "eta", "concept_strength"),
        ambiguous=("guide",),
        phrases={"moves=None": "--moves none", "set guide=None": "leave out --guide"},
    ),
    page="stickbreaker.topics.report.topic_page:page_of",
    page_options=("date_field", "group_field", "language", "compare"),
)
HDP = replace(
    LDA,
    name="HDP",
    learner="stickbreaker.topics.learner:HDP",
    front_door="stickbreaker.topics.hdp:HDP",
    verbs=OF_TOPICS,
    functions=FUNCTIONS,
    fit={"hdp": "stickbreaker.topics.cli.fit:hdp"},
    declared="stickbreaker.topics.settings:HDPSettings",
)
KINDS = (LDA, HDP)
