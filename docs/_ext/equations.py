"""Equations as MathML: every browser draws it, and no script or font is fetched."""

import re

from docutils import nodes
from latex2mathml.converter import convert

FUNCTION = re.compile(
    r"(?<!<msub>)(?<!<msup>)(?<!<munder>)(?<!<msubsup>)<mi>(log|exp|max|min|lim|sin|cos)</mi>(?!<mo|</|<mspace)"
)
OPERAND_BEFORE = re.compile(r"(</mi>|</msub>|</msup>|</mn>|</msubsup>)(<mi>(?:log|exp)</mi>)")


def mathml(latex: str, *, block: bool) -> str:
    """The MathML element of an equation, with the spaces of TeX around functions and relations."""
    found = convert(latex, display="block" if block else "inline")
    found = found.replace("<mi>&#x0007E;</mi>", "<mo>&#x0223C;</mo>")
    found = found.replace("<mi>&#x02032;</mi>", "<mo>&#x02032;</mo>")
    found = found.replace("<mo>&#x0007C;</mo>", '<mo lspace="0" rspace="0">&#x0007C;</mo>')
    found = OPERAND_BEFORE.sub(r'\1<mspace width="0.17em" />\2', found)
    return FUNCTION.sub(r'<mi>\1</mi><mspace width="0.17em" />', found)


def visit_inline(translator, node) -> None:
    translator.body.append(f'<span class="math">{mathml(node.astext(), block=False)}</span>')
    raise nodes.SkipNode


def visit_block(translator, node) -> None:
    translator.body.append(f'<div class="math">{mathml(node.astext(), block=True)}</div>')
    raise nodes.SkipNode


def setup(app) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
