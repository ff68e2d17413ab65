"""Other retrieval systems, each run in an environment of its own with our embedding model."""
