"""How each compiler reads its arguments: forms, repeats and canonical names."""
