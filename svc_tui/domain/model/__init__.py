"""The values that everything else is told in: collections, records, requests, settings, lossless JSON."""
