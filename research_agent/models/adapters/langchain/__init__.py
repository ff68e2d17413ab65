"""Models, retrievers and rerankers that are LangChain objects, given or named in settings."""
