"""HTML, Markdown and notebooks."""
