"""Equations as MathML: every browser draws it, and no script or font is fetched."""



from docutils import nodes
from latex2mathml.converter import convert


def mathml(latex: str, *, block: bool) -> str:
    """The MathML element of an equation."""
    return convert(latex, display="block" if block else "inline")


def visit_inline(translator, node) -> None:
    translator.body.append(f'<span class="math">{mathml(node.astext(), block=False)}</span>')
    raise nodes.SkipNode


def visit_block(translator, node) -> None:
    translator.body.append(f'<div class="math">{mathml(node.astext(), block=True)}</div>')
    raise nodes.SkipNode


def setup(app) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
