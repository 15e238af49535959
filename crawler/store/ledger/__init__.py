"""The ledger of a site: one SQLite file."""
