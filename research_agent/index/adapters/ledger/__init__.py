"""The SQLite file that holds the whole truth of an index; every other file is made from it."""
