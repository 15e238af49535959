"""Wrapper projects with their scripts, run on pages by commands and crawls."""
