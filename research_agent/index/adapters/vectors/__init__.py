"""Dense search: exact in memory, approximate in Chroma, and the Chroma files behind both."""
