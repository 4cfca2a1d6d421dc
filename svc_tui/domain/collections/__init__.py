"""A collection on show: rows held, columns, filters, views, marks, summaries, watching."""
