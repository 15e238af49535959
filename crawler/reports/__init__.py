"""What commands show: text tables, HTML pages, standard output."""
