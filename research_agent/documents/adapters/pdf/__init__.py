"""PDF files, read with PDFium: text in reading order, tables, outline, printed page labels."""

from research_agent.documents.adapters.pdf.parsing import parse_pdf

__all__ = ["parse_pdf"]
