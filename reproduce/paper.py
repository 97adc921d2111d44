"""What the thesis prints, copied from it: K. Zhai, Models, Inference, and Implementation for Scalable
Probabilistic Models of Text, University of Maryland, 2014, chapter 3."""

# Table 3.2, a category: eight words from TREC, eight from BlogAuthorship. The blogs' cell of Cognitive
# Process is empty: "the model chose not to use topics with ill-fitting priors".
GUIDED = {
    "Affective Processes": (
        "book life love like stori man write read",
        "casili dare truli lol needi jealousi friendship betray",
    ),
    "Negative Emotions": (
        "fire hospit medic damag patient accid death doctor",
        "sorri crappi bullshit goddamn messi shitti bitchi angri",
    ),
    "Positive Emotions": (
        "film music play entertain show tv calendar movie",
        "lord prayer pray merci etern truli humb god",
    ),
    "Anxiety": (
        "al arab israel palestinian isra india peac islam",
        "bird diseas shi infect blood snake anxieti creatur",
    ),
    "Anger": (
        "polic drug arrest kill prison investig crime attack",
        "iraq american countri militari nation unit america force",
    ),
    "Sadness": (
        "stock cent share index rose close fell profit",
        "level weight disord moder miseri lbs loneli pain",
    ),
    "Cognitive Process": ("coalit elect polit conflict auc think parliament poland", ""),
    "Insight": (
        "un bosnia serb bosnian herzegovina croatian greek yugoslavia",
        "god christian church jesus christ religion faith cathol",
    ),
    "Causation": (
        "technolog comput research system electron scienc test equip",
        "system http develop program www web file servic",
    ),
    "Discrepancy": (
        "pound share profit dividend group uk pre trust",
        "sa ko ang pa ako en lang el",
    ),
    "Tentative": (
        "hotel travel fish island wine garden design boat",
        "pretty davida croydon crossword chrono jigsaw 40th surrey",
    ),
    "Certainty": (
        "art italian itali artist museum paint exhibit opera",
        "film actor robert william truli director charact richard",
    ),
}

# Table 3.3, five of its eleven topics, some of the words of each
POLYLINGUAL = (
    ("game games player players released comics", "spiel spieler serie erschien gibt comics"),
    ("greek opera musical composer orchestra piano", "musik komponist oper komponisten werke orchester"),
    ("league cup club played football games", "gewann saison spiele fc spielen mannschaft"),
    ("french france paris russian la moscow", "paris franzosischen frankreich la russischen moskau"),
    ("japanese japan australia australian flag zealand", "japan japanischen australien japanische flagge"),
)

# Table 3.4, "job status averaging over 20 iterations for 1000 topics": without and with in-mapper combining
COMBINER = (
    ("running time, 10³ s", 10.635, 4.015),
    ("combine input records, 10¹⁰", 1.612, 14.328),
    ("combine output records, 10⁹", 9.786, 71.063),
    ("map output bytes, 10¹¹", 1.108, 11.651),
    ("map output records, 10⁹", 6.931, 72.815),
)
