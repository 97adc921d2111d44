"""Text without spaces between words: the same news read by characters and, where icu4py is there, by words.

python examples/chinese.py
"""

from importlib.util import find_spec

from stickbreaker import LDA, Analysis, Corpus

NEWS = [
    "北京队在比赛中战胜了上海队，球员非常高兴。",
    "球队昨天的比赛吸引了三万球迷。",
    "教练说，球员的训练比比赛更重要。",
    "球迷希望球队赢得下一场比赛。",
    "银行宣布下调贷款利率，股市上涨。",
    "专家认为，经济增长将推动股市。",
    "银行的贷款增长了，经济正在恢复。",
    "投资者关注银行利率和经济数据。",
]


def main() -> None:
    for segmentation in ("characters", "icu"):
        if segmentation == "icu" and find_spec("icu4py") is None:
            print("\nwords need: pip install 'stickbreaker[icu]'")
            continue
        analysis = Analysis("zh", segmentation=segmentation)
        print(f"\n{segmentation}: {' '.join(analysis.analyse(NEWS[0]).words)}")

        corpus = Corpus.from_texts(NEWS, analysis=analysis)
        model = LDA(n_topics=2, alpha=0.1, eta=0.1, random_state=0).fit(corpus)
        for topic, words in model.show_topics(2, 6, formatted=False):
            print(f"  topic {topic}:", *(word for word, _ in words))
        for text, shares in zip(NEWS[2:6], model.transform(NEWS[2:6]), strict=True):
            print(f"  {shares.round(2)}  {text}")


if __name__ == "__main__":
    main()
