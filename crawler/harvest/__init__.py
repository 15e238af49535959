"""Harvests: many sites, on a schedule, on one machine or many."""
