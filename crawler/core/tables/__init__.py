"""Tables: found in the markup, laid out on a grid, and told from layout."""
