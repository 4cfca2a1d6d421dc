"""How well a command of the palette matches what is typed."""

from svc_tui.ui.keys.command import Command


def test_a_whole_word_ranks_before_a_beginning_and_that_before_a_part_and_before_the_help() -> None:
    titles = ("Copy as curl", "Curling", "Uncurl", "Paste", "Replay")
    helps = ("", "", "", "a curl command", "what curls")
    commands = [Command(title, about, lambda: None) for title, about in zip(titles, helps, strict=True)]
    ranks = [command.rank("curl") for command in commands]
    assert ranks == sorted(ranks, reverse=True)
    assert len(set(ranks)) == len(ranks)
    assert commands[0].rank("CURL copy") > commands[0].rank("cop curl") > 0
    # Letters that only stand somewhere in it, one after the other, are no match.
    assert Command("Clear request history…", "Forget all requests", lambda: None).rank("curl") == 0
    assert commands[0].rank("curl themes") == 0


def test_the_area_of_its_key_and_other_words_find_a_command_too() -> None:
    command = Command("Next match", "Go on", lambda: None, "again", area="Table", keys="n")
    assert command.rank("table next") > command.rank("table again") > 0
    assert command.rank("record next") == 0
