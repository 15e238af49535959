"""The spiders: whole sites, lists of addresses, archives."""
