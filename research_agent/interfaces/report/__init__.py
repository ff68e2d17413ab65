"""A report to look at: one HTML file without scripts, network or links to the outside."""
