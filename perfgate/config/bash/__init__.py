"""The shell language: text to a syntax tree, and the tree to words as far as the file tells them."""
