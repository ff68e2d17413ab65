"""Measurements: `python -m benchmarks NAME`. Results are committed under benchmarks/results."""
