"""How the service is spoken to: routes, signing, the clock, retries, pacing, pages, errors."""
