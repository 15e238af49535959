"""Tables: found in the markup, laid out on a grid, classified as genuine or layout, and read."""
