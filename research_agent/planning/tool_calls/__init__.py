"""The step that plans the calls of the search's loop, and how their results become one ranking."""
