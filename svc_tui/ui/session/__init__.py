"""What one session holds for its controllers: drafts, privacy mask, remembered choices."""
