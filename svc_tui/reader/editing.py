"""Edits: a new value asked for and judged by its field's kind, kept in the store, taken back."""

from svc_tui.core.draft import Draft, json_or_unset
from svc_tui.core.field_entry import FieldEntry, ValueProblem, entry_among
from svc_tui.core.field_path import value_at
from svc_tui.core.jsontext import ABSENT, Absent, Json, JsonError, dumps, loads
from svc_tui.core.nested_value import path_exists, with_value_at
from svc_tui.core.phrases import counted
from svc_tui.core.records import Place, id_field
from svc_tui.core.references import target_of
from svc_tui.core.visible_text import field_label, visible
from svc_tui.reader.browsing import Browsing, field_of, outer_name
from svc_tui.reader.mistakes import Mistake
from svc_tui.reader.spoken_words import change_words, collection_words, shortened
from svc_tui.reader.talk import Talk
from svc_tui.service.redact import holds_secret, holds_secret_text
from svc_tui.session.unsent_drafts import Drafts
from svc_tui.session.write_words import SECRET_TYPED
from svc_tui.storage.errors import StoreError

NULL, EMPTY, AS_JSON = ":null", ":empty", ":json "
"""What is typed for null, for the empty text, and before a value that is written as JSON."""


class Editing:
    """Changes drafts; nothing here sends anything."""

    def __init__(self, talk: Talk, browsing: Browsing, drafts: Drafts) -> None:
        self._talk, self._browsing, self._drafts = talk, browsing, drafts

    async def edit(self, text: str) -> None:
        """Ask for the new value of a field of the open record, and keep it as an edit."""
        draft = self._browsing.draft()
        place = self._place()
        if repeated := draft.base.repeated:
            raise Mistake(
                f"{visible(place.id)} can't be edited: the service sent the field {visible(repeated[0])} twice."
            )
        listing = self._talk.at.listing
        # A field that other records have can be added to this one.
        is_listed = listing is not None and text in listing.field_names
        path = text if is_listed else field_of(draft.fields, text, "edit grade.")
        name, inner = outer_name(draft.fields, path)
        if name == id_field(draft.base.fields):
            raise Mistake("The id can't be changed.")
        if not path_exists(draft.fields, (name, *inner)):
            raise Mistake(f"{visible(path)} can't be set: its parent is not an object.")
        now, before = value_at(draft.fields, path), value_at(draft.base.fields, path)
        entry = self._entry(path, before, now)
        mask, domain = self._talk.mask, place.collection.domain
        seen = json_or_unset(value_at(mask.draft(draft, domain).fields, path))
        hidden = mask.on and (mask.mask.hides(name, draft.fields, domain) or seen != json_or_unset(now))
        # What others hold is as personal as what this one does.
        keeps = "An empty line keeps this value."
        asked = keeps if hidden else f"Type {entry.expected}; {keeps[0].lower()}{keeps[1:]}"
        self._talk.say(f"{field_label(path)} is {visible(seen)}. {asked}")
        new = await self._value(entry, path, hidden=hidden)
        if isinstance(new, Absent):
            self._talk.say("Nothing was changed.")
            return
        value = with_value_at(draft.value(name), inner, new) if inner else new
        # The record may have been read again while the value was typed.
        edited = self._browsing.draft().with_value(name, value)
        await self.put(place, edited)
        change = next((change for change in mask.draft(edited, domain).changes if change.name == name), None)
        said = (
            "Same as the saved value: nothing to send for this field." if change is None else f"{change_words(change)}."
        )
        remark = entry.remark(new) if isinstance(new, str) and new and not hidden else ""
        next_step = "Not sent yet. Next: review." if edited.edits else ""
        self._talk.say(" ".join(filter(None, (said, visible(remark), next_step))))

    def _entry(self, path: str, old: Json | Absent, proposed: Json | Absent) -> FieldEntry:
        listing, session = self._talk.at.listing, self._talk.session
        held = [value_at(record.fields, path) for record in listing.read] if listing is not None else []
        seen = [value for value in (*held, old) if not isinstance(value, Absent)]
        name = path.rpartition(".")[2]
        target = target_of(name, session.collections)
        return entry_among(name, old, seen, target, proposed=proposed, tz=session.tz)

    async def _value(self, entry: FieldEntry, path: str, *, hidden: bool) -> Json | Absent:
        """The value that the user types; ABSENT for none.

        One that can't be read is asked for again; one that is none of the known values needs to be typed twice.
        """
        unknown = ""
        while True:
            typed = await self._talk.ask(f"New {field_label(path)}")
            if not typed:
                return ABSENT
            if holds_secret(typed, self._talk.session.gateway.secrets):
                self._talk.say(SECRET_TYPED)
                continue
            try:
                value = _read(entry, typed)
            except ValueProblem as problem:
                self._talk.say(f"{visible(str(problem))} Type it again, or an empty line to cancel.")
                continue
            if hidden or not isinstance(value, str) or not value or not entry.is_unknown(value) or typed == unknown:
                return value
            unknown = typed
            known = [suggestion.value for suggestion in entry.offers(None) if isinstance(suggestion.value, str)]
            meant = [word for word in known if word.casefold().startswith(value.casefold())]
            question = f"Unknown value. Did you mean “{meant[0]}”?" if len(meant) == 1 else entry.remark(value)
            self._talk.say(
                f'"{visible(value)}": {visible(question)} Type it again to use it, or an empty line to cancel.'
            )

    async def put(self, place: Place, draft: Draft) -> None:
        """Keep a draft, in memory and in the store."""
        self._drafts.put(place, draft)
        if holds_secret_text(dumps(dict(draft.edits)), self._talk.session.gateway.secrets):
            self._talk.say(f"Could not save the draft to disk: {SECRET_TYPED}")
            return
        try:
            await self._drafts.save(place)
        except StoreError as error:
            self._talk.say(f"Could not save the draft to disk: {visible(str(error))}")

    async def compare_with_disk(self, place: Place) -> None:
        """Say what other programs did to the draft of a record; edits that they sent or dropped are let go of."""
        look = await self._drafts.compare_with_disk(place)
        if look.removed:
            names = ", ".join(map(visible, look.removed))
            self._talk.say(
                f"The draft of {visible(place.id)} was changed, sent or discarded in another window. "
                f"Removed here: {names}."
            )
        self.say_others(place)

    def say_others(self, place: Place) -> None:
        """Say which fields of a record another program edits too."""
        draft = self._drafts.draft(place)
        if draft is None:
            return
        for other in self._drafts.others(place):
            seen = self._talk.mask.draft(Draft(draft.base, {other.name: other.new}), place.collection.domain)
            value = visible(json_or_unset(seen.value(other.name)))
            self._talk.say(
                f"{visible(place.id)}: another window has a different draft, with {field_label(other.name)} {value}. "
                "Both are kept."
            )

    async def edits(self, _: str) -> None:
        """Say every edit that is not sent, by its record; the records can be opened by their numbers."""
        places = self._drafts.places
        if not places:
            self._talk.say("No drafts.")
            return
        lines = []
        for number, place in enumerate(places, 1):
            draft = self._drafts.draft(place)
            assert draft is not None
            seen = self._talk.mask.draft(draft, place.collection.domain)
            changes = "; ".join(map(change_words, seen.changes))
            label = f"{shortened(seen.base.label)}, " if seen.base.label else ""
            lines.append(f"{number}. {label}{changes}, {collection_words(place.collection)}, {visible(place.id)}")
        self._talk.at.numbered = places
        await self._talk.say_part(lines)

    async def drop(self, text: str) -> None:
        """Take back the edit of a field, or, after a question, all edits of the open record."""
        draft, place = self._browsing.draft(), self._place()
        if not draft.edits:
            raise Mistake(f"{visible(place.id)} has no draft.")
        if text:
            name, _ = outer_name(draft.fields, field_of(draft.fields, text, ""))
            if name not in draft.edits:
                raise Mistake(f"{field_label(name)} has no edit. To list the drafts, type edits.")
            await self.put(place, draft.without(name))
            self._talk.say(f"Discarded the edit of {field_label(name)}.")
            return
        count = counted(len(draft.edits), "edit")
        if (await self._talk.ask(f"Discard {count} of {visible(place.id)}? yes or no")).casefold() != "yes":
            self._talk.say("Nothing was discarded.")
            return
        await self.put(place, Draft(draft.base))
        self._talk.say(f"Discarded {count}.")

    def _place(self) -> Place:
        place = self._talk.at.place
        assert place is not None
        return place


def _read(entry: FieldEntry, typed: str) -> Json:
    """The value that a typed line stands for; raises ValueProblem."""
    if typed == NULL:
        return None
    if typed == EMPTY:
        return ""
    if typed.startswith(AS_JSON):
        try:
            return loads(typed.removeprefix(AS_JSON))
        except JsonError as error:
            raise ValueProblem(f"Not valid JSON: {error}.") from None
    return entry.read(typed.removeprefix(":") if typed.startswith("::") else typed)
