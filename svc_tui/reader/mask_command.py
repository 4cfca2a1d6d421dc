"""The privacy mask: hides personal data in all that is said, by the rules of the screens."""

from svc_tui.reader.mistakes import Mistake
from svc_tui.reader.talk import Talk

HIDDEN = "Personal data is masked."


class Masking:
    """Turns the mask of one conversation."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk

    async def mask(self, text: str) -> None:
        """Hide personal data, or say it again; without a word, how that stands."""
        mask, word = self._talk.mask, text.casefold()
        if word not in ("", "on", "off"):
            raise Mistake("To mask personal data, type mask on; to unmask it, type mask off.")
        if word:
            mask.on = word == "on"
            # What is left of something long was made to be heard as it was.
            self._talk.at.more = None
        self._talk.say(HIDDEN if mask.on else "Personal data is not masked.")
