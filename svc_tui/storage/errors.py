"""What storage can't do."""


class StoreError(Exception):
    """The local store can't do what was asked; the message says why and what to do."""


class StoreUnavailable(StoreError):
    """Nothing can be kept where the store is to be: it can't be written there, or the disk is full."""


class TeamServerError(Exception):
    """The team server can't do what was asked; the message is one line that says why and what to do.

    `lasting` where it won't by itself be otherwise in a moment: a wrong password, a schema that is too old.
    """

    def __init__(self, message: str, *, lasting: bool = False) -> None:
        super().__init__(message)
        self.lasting = lasting


class ChainTaken(TeamServerError):
    """The server has another line in the place of one of this machine's: somebody else goes on with the chain."""
