"""Which adapter fills which role."""
