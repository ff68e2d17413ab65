"""Formats that are ZIP archives: DOCX, PPTX, workbooks and EPUB."""
