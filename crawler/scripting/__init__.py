"""Scripts in JavaScript: run in a process of their own that can reach nothing but the page."""
