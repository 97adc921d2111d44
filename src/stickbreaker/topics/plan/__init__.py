"""What the settings of topic models mean, by `plan_of(settings)`, and the models that they describe."""

from typing import Any

from stickbreaker.topics.plan.hdp_plan import HDPPlan
from stickbreaker.topics.plan.lda_plan import LDAPlan
from stickbreaker.topics.plan.topic_plan import TopicPlan
from stickbreaker.topics.settings import LDASettings, TopicSettings

AnyPlan = TopicPlan[Any]


def plan_of(settings: TopicSettings, *, stream: bool = False, continues_fit: bool = False) -> AnyPlan:
    """What settings mean; stream, continues_fit: as of `TopicPlan`."""
    made: Any = LDAPlan if isinstance(settings, LDASettings) else HDPPlan
    return made(settings, stream, continues_fit)
