"""LaTeX: sections, labels and references, and the text as it is written."""

import time

import pytest

from research_agent.assembly.parsing import parse_bytes
from research_agent.documents.adapters.latex import parse_latex
from research_agent.types.references import Link

PAPER = r"""\documentclass{article} % \title{Old}
\title[Bread]{On \emph{Rye} \\
  Bread}
\date{2024-05-13}
\begin{document}
\maketitle
\section[Flour]{On {\bf Flour}}\label{sec:flour}
Rye~\cite{a} is 5\% of it, % is it?
% so they say
see \cref{sec:oven, tab:a} and \verb|50%|.

Next, we bake
\begin{equation}\label{eq:a}
  a = \begin{equation}b

\end{equation}
\end{equation}
as said.
\subsection*{Oven\label{sec:oven}}
\begin{itemize}
  \item Hot
    \begin{enumerate}[a)]
    \item \emph{Very}
    \end{enumerate}
\end{itemize}
\begin{lstlisting}
x = 5 % 2

\section{None}
\end{lstlisting}
\begin{comment}
Gone.
\end{comment}
\section{End}
\begin{table}
\caption{A.}\label{tab:a}
\end{table}
\end{document}
Not shown.
"""


def test_a_paper() -> None:
    """Headings make the path, environments stay whole, comments are left out."""
    document = parse_bytes(PAPER.encode(), ".tex")

    assert (r"On \emph{Rye} Bread", "2024-05-13") == (document.title, document.date)
    flour = r"On {\bf Flour}"
    assert [
        (r"\maketitle", "text", ()),
        (flour, "text", (flour,)),
        (
            "Rye~\\cite{a} is 5\\% of it,\nsee \\cref{sec:oven, tab:a} and \\verb|50%|.",
            "text",
            (flour,),
        ),
        ("Next, we bake", "text", (flour,)),
        (PAPER[PAPER.index(r"\begin{eq") : PAPER.index("\nas said")], "text", (flour,)),
        ("as said.", "text", (flour,)),
        ("Oven", "text", (flour, "Oven")),
        ("- Hot\n  - \\emph{Very}", "list", (flour, "Oven")),
        (
            "\\begin{lstlisting}\nx = 5 % 2\n\n\\section{None}\n\\end{lstlisting}",
            "code",
            (flour, "Oven"),
        ),
        ("End", "text", ("End",)),
        ("\\begin{table}\n\\caption{A.}\\label{tab:a}\n\\end{table}", "text", ("End",)),
    ] == [(block.text, block.kind, block.section) for block in document.blocks]


def test_labels_and_references() -> None:
    """A label is an anchor of its block, a reference a link with its words.

    A label of another file is not looked for in this one.
    """
    blocks = parse_latex(PAPER).blocks

    anchors = {name: block.text[:6] for block in blocks for name in block.anchors}
    assert {
        "#sec:flour": r"On {\b",
        "#eq:a": r"\begin",
        "#sec:oven": "Oven",
        "#tab:a": r"\begin",
    } == anchors
    words = r"\cref{sec:oven, tab:a}"
    assert [("#sec:oven", words), ("#tab:a", words)] == [
        (link.target, link.text) for block in blocks for link in block.links
    ]
    assert (Link("#a", "link"),) == parse_latex(r"By \eqref{a} \ref{b}.\label{a}").blocks[0].links


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        (r"\section{Open {a} and more", [((), r"\section{Open {a} and more")]),
        (r"\end{a} b } c", [((), r"\end{a} b } c")]),
        ("\\begin{a}\nb\n\\section{C}\nd", [((), "\\begin{a}\nb"), (("C",), "C"), (("C",), "d")]),
        ("\\begin{verbatim}\n% a", [((), "\\begin{verbatim}\n% a")]),
        ("\\chapter{A}\n\\paragraph{B} c", [(("A",), "A"), (("A", "B"), "B"), (("A", "B"), "c")]),
    ],
)
def test_parts_and_damaged_texts(text: str, blocks: list[tuple[tuple[str, ...], str]]) -> None:
    """What does not end is read as text, up to the next section."""
    assert blocks == [(block.section, block.text) for block in parse_latex(text).blocks]


@pytest.mark.parametrize(
    "piece", [r"\section{", r"\section[", r"\section{ {a} ", r"\begin{a}", r"\verb|%", "{", "\\"]
)
def test_time_grows_with_the_length(piece: str) -> None:
    """Braces without an end are not looked through again and again."""
    began = time.process_time()

    assert parse_latex(piece * 50_000).blocks
    assert time.process_time() - began < 2
