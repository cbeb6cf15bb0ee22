"""What names in an expression stand for, when two types agree, and substitution."""
