"""Several threads at once: calls recorded, turns that are drawn, and orders that explain them."""
