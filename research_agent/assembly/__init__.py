"""Settings to ports: the one place that picks adapters."""
