"""The scripted uses of the program, by front end: each a function that takes a stage."""

from collections.abc import Callable

from tests.golden.stage import Stage
from tests.golden.uses import browsing, commands, editing, reader, team

Use = Callable[[Stage], None]

USES: dict[str, Use] = {
    name: function
    for module in (commands, reader, team, browsing, editing)
    for name, function in vars(module).items()
    if getattr(function, "__module__", "") == module.__name__ and not name.startswith("_")
}
