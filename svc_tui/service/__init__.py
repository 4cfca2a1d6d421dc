"""The service: requests, answers, errors, retries and redaction; no input or output."""
