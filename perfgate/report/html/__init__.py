"""One offline HTML page per benchmark: the views people look at before they read."""
