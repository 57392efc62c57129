"""What explains a change: operators, copies and settings of two records held side by side."""
