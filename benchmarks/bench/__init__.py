"""Question sets over documents of several kinds, and what product and peers make of them."""
