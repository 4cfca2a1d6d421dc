"""An open collection: which of its pages were read, what to read next, and views of its rows."""
