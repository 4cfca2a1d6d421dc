"""What the main screen does when the console, or the answer shown in it, asks for something."""

from typing import TYPE_CHECKING

from svc_tui.ui.main.base import MainBase

if TYPE_CHECKING:
    from svc_tui.ui.console.console_pane import ConsolePane
    from svc_tui.ui.widgets.answer.answer_view import AnswerView


class ConsoleEvents(MainBase):
    """The console is imported when it is first opened, so its messages are heard by their names."""

    # The request

    def on_console_pane_ready(self, event: "ConsolePane.Ready") -> None:
        """The console has just been made."""
        self.run_worker(self.controllers.requests.load_known_paths(event.console), group="console-paths")

    async def on_console_pane_submitted(self, event: "ConsolePane.Submitted") -> None:
        """The console wants a request sent."""
        self.run_worker(self.controllers.requests.send(await self.workspace.console(), event.spec), group="console")

    def on_console_pane_cancel_wanted(self) -> None:
        """The console's read is to be given up."""
        self.controllers.requests.cancel()

    def on_console_pane_values_wanted(self, event: "ConsolePane.ValuesWanted") -> None:
        """The console's request has blanks left."""
        from svc_tui.ui.console.fill_blanks import ask_for_blanks

        self.ask(ask_for_blanks(self, event.console, event.form))

    def on_console_pane_edit_wanted(self, event: "ConsolePane.EditWanted") -> None:
        """The body of the console's request is to be edited outside."""
        self.ask(self.controllers.requests.edit_body(event.console, event.body, self.controllers.external_editor))

    def on_console_pane_save_wanted(self, event: "ConsolePane.SaveWanted") -> None:
        """The console's request is to be saved under a name."""
        self.ask(self.controllers.saved_requests.save(event.form))

    def on_console_pane_copy_wanted(self, event: "ConsolePane.CopyWanted") -> None:
        """The console's request is to be copied."""
        self.ask(self.controllers.copies.choice(event.copies, event.key))

    def on_console_pane_explain_wanted(self, event: "ConsolePane.ExplainWanted") -> None:
        """The signature of the console's request is to be explained."""
        if event.pasted is not None:
            self.ask(self.controllers.requests.judge_pasted(event.pasted, event.request))
        else:
            self.ask(
                self.controllers.requests.explain(event.request, event.exchange, event.failure, edited=event.edited)
            )

    def on_console_pane_open_wanted(self, event: "ConsolePane.OpenWanted") -> None:
        """What the console reads is to be opened."""
        self.go(event.place)
        if event.place.record_id is None:
            self.workspace.browse.view_state.set_service_query(event.query)

    def on_console_pane_leave_wanted(self) -> None:
        """Esc in the console leads back to the table."""
        self.workspace.to_table()

    def action_history(self) -> None:
        """Show the requests that were sent."""
        self.ask(self.controllers.requests.show_history())

    # Its answer

    def on_answer_view_save_wanted(self, event: "AnswerView.SaveWanted") -> None:
        """The console's answer is to be saved."""
        self.ask(self.controllers.answers.save(event.name, event.data))

    def on_answer_view_copied(self, event: "AnswerView.Copied") -> None:
        """A text of the console's answer is to be copied."""
        self.run_worker(self.controllers.answers.copy(event.text), group="copies")

    def on_answer_view_copy_wanted(self, event: "AnswerView.CopyWanted") -> None:
        """Something of the console's answer is to be copied."""
        self.ask(self.controllers.answers.choose_copy(event.copies))

    async def on_answer_view_compare_wanted(self) -> None:
        """The console's answer is to be compared with another one."""
        self.ask(self.controllers.answers.compare((await self.workspace.console()).requests.transcript))
