"""Scripts in JavaScript: run in a separate process that can reach nothing but the page."""
