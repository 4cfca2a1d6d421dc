"""Finds a saved request for the command line, and fills it in."""

from collections.abc import Mapping

from svc_tui.bootstrap.start import CommandFailure, Options, translate_errors
from svc_tui.domain.model.requests import RequestSpec


def saved_request(name: str, values: Mapping[str, str], options: Options, variables: Mapping[str, str]) -> RequestSpec:
    """The request that is saved under `name`, with the values that it asks for; raises Stopped."""
    from svc_tui.config.paths import find_locations
    from svc_tui.config.requests.saved_requests import FileSavedRequests
    from svc_tui.domain.console.saved_requests import SavedRequestProblem, ValuesMissing, named

    with translate_errors():
        files = FileSavedRequests(find_locations(variables, options.config).requests_directory)
    try:
        return named(files.read(), name, files.directory).request(values)
    except ValuesMissing as error:
        raise CommandFailure(f"{error}; give each with --set NAME=VALUE") from None
    except SavedRequestProblem as error:
        raise CommandFailure(str(error)) from None
