"""Sockets that wait for connections."""

import socket
import sys

if sys.platform == "win32":

    def claim_port(listener: socket.socket) -> None:
        """Before it is bound: have its port be this program's alone, at once after another that has ended."""
        # What is called reusing there lets any program take a port that is in use.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)

else:

    def claim_port(listener: socket.socket) -> None:
        """Before it is bound: have its port be this program's alone, at once after another that has ended."""
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
