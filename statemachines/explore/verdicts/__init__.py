"""What a finished search says of a property: goals, fairness, reach."""
