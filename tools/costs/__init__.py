"""What a deployed podgraft costs: list prices, measured figures, and the table made of both."""
