"""One file per rule; `registry` lists them, `rules.yaml` beside this package holds every threshold."""
