"""A bucket of tokens, as AWS limits requests."""


class Bucket:
    """*rate* requests a second, and *burst* at once."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._tokens, self._filled_at = burst, 0.0

    def takes(self, now: float) -> bool:
        """Whether a request is in the limits."""
        filled = self._tokens + (now - self._filled_at) * self._rate
        self._tokens, self._filled_at = min(self._burst, filled), now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True
