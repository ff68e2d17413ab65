"""The documentation as a site: `sphinx-build -W docs docs/site`. It asks no other host."""

project = "research_agent"
extensions = ["myst_parser"]
exclude_patterns = ["site"]
html_theme = "furo"
html_title = "research_agent"
html_show_sphinx = False
myst_heading_anchors = 4
suppress_warnings = ["misc.highlighting_failure"]  # Mermaid is shown as text
