"""Answer: what is written from the evidence, or shown of it, and whether it answers."""
