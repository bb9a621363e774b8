"""What compiled templates call while they render."""
