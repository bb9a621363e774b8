"""Go's encoding/json: values to JSON, JSON to values, and its syntax errors."""
