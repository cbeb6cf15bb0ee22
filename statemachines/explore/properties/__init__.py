"""What is claimed, as conditions over rows and steps, and conditions that hold of everything."""
