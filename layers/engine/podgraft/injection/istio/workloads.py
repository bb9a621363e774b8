"""Who a pod belongs to, as each release tells it."""
