"""What the main screen does when something in the sidebar is chosen, or is no longer wanted there."""

from textual import on

from svc_tui.core.records import Place
from svc_tui.ui.main.base import MainBase
from svc_tui.ui.sidebar.sidebar import Sidebar


class SidebarEvents(MainBase):
    """Collections and views are opened in the table, routes and saved requests in the console."""

    @on(Sidebar.CollectionChosen)
    def _collection_chosen(self, event: Sidebar.CollectionChosen) -> None:
        self.go(Place(event.collection))

    @on(Sidebar.ViewChosen)
    def _view_chosen(self, event: Sidebar.ViewChosen) -> None:
        self.look_at(event.view.collection, event.view.name)

    @on(Sidebar.ViewRemovalWanted)
    def _view_unwanted(self, event: Sidebar.ViewRemovalWanted) -> None:
        self.ask(self.controllers.views.forget_view(event.view.collection.key, event.view.name))

    @on(Sidebar.RouteChosen)
    async def _route_chosen(self, event: Sidebar.RouteChosen) -> None:
        (await self.workspace.console()).prefill(event.route)

    @on(Sidebar.RequestChosen)
    def _request_chosen(self, event: Sidebar.RequestChosen) -> None:
        self.ask(self.controllers.saved_requests.open(event.request.file))

    @on(Sidebar.RequestRemovalWanted)
    def _request_unwanted(self, event: Sidebar.RequestRemovalWanted) -> None:
        self.ask(self.controllers.saved_requests.forget(event.request))
