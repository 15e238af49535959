"""Feed exporters, and the numbered parts of incremental crawls."""
