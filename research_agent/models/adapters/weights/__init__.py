"""The embedded model's weights: parts in packages, joined in the cache."""
