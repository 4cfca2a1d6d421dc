"""The pause before the next try."""

from svc_tui.service.retry import Backoff


def test_pauses_double_up_to_the_longest_and_begin_anew() -> None:
    patience, waited = Backoff(5, 60), []
    # 2.0 ** 1024 is an OverflowError: a server that is away for a night must not end the waiting for it.
    for _ in range(2000):
        waited.append(patience.seconds)
        patience = patience.longer()
    assert waited[:6] == [5, 10, 20, 40, 60, 60]
    assert waited[-1] == 60
    assert patience.reset().seconds == 5
