"""The step that decides which hits of a search are kept, and what they bring along."""
