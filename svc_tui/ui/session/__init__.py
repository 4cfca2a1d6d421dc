"""What the controllers of one main screen share: context, privacy mask, remembered choices."""
