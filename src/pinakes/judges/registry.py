"""The judges by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pinakes.core.page import Brief
from pinakes.core.parameters import build
from pinakes.core.registry import Registry
from pinakes.core.roles import Judge

JUDGES = Registry(
    "judge",
    "pinakes.judges",
    {
        "cosine": "pinakes.judges.cosine:CosineJudge",
        "centroids": "pinakes.judges.centroids:CentroidsJudge",
        "contrast": "pinakes.judges.contrast:ContrastJudge",
        "naive-bayes": "pinakes.judges.bayes:NaiveBayesJudge",
        "rocchio": "pinakes.judges.linear:RocchioJudge",
        "widrow-hoff": "pinakes.judges.linear:WidrowHoffJudge",
        "eg": "pinakes.judges.linear:EGJudge",
        "publication": "pinakes.judges.publication:PublicationJudge",
        "pattern": "pinakes.judges.pattern:PatternJudge",
    },
)


def make_judge(name: str, brief: Brief, parameters: Mapping[str, Any]) -> Judge:
    made: Judge = build(JUDGES.find(name), f"The judge {name}", brief, parameters)
    return made
