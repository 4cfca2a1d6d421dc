"""Personal data, hidden while the user shares a screen: names of people, e-mail addresses, phones, what a user lists.

The document shows no fields, so what is personal is told from names of fields, from what stands beside them, and from
the shape of texts. A value that is hidden becomes a text of one width, whatever it was; null, "" and what is not
there stay, since they tell nothing of anybody. Masked values are for looking and for handing out: none ever goes
into a write.
"""

import re
from collections.abc import Collection as Names
from collections.abc import Mapping

from msgspec import Struct, field

from svc_tui.core.catalog import VERSION_PREFIX
from svc_tui.core.draft import Draft
from svc_tui.core.field_path import path_steps
from svc_tui.core.filters import Filter, Term
from svc_tui.core.jsontext import Json, JsonError, encode_json, loads
from svc_tui.core.kinds import MASKED
from svc_tui.core.records import Record
from svc_tui.core.values import replace
from svc_tui.storage.journal_entries import JournalEntry

WORKFORCE_DOMAIN = "workforce"
"""The domain whose records are about people: there a bare `name` is one."""


def _word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PERSONAL_FIELDS = _word_set("""
    firstname lastname fullname surname givenname familyname middlename maidenname nickname displayname initials
    email emailaddress mail phone phonenumber telephone tel mobile cellphone fax address homeaddress street
    postaladdress postcode postalcode zipcode birthday birthdate birthplace dateofbirth dob gender sex nationality
    religion maritalstatus ssn socialsecuritynumber nationalid passport passportnumber idcard taxid iban bankaccount
    accountholder salary emergencycontact nextofkin spouse photo avatar
""")
_PERSONAL_SUFFIXES = (
    "email",
    "phone",
    "phonenumber",
    "mobile",
    "firstname",
    "lastname",
    "fullname",
    "surname",
    "birthdate",
)
_ROLES = _word_set("""
    worker employee operator driver foreman supervisor manager inspector reporter author owner contact person user
    technician geologist surveyor miner witness victim patient
""")
_ROLE_NAME_FIELDS = frozenset(f"{who}name" for who in _ROLES)
_BARE_NAME = "name"
_PERSON_INDICATORS = _word_set("""
    firstname lastname fullname surname email emailaddress phone phonenumber mobile telephone birthdate birthday
    dateofbirth dob ssn passport relation hiredon
""")
"""Beside one of these, a bare `name` is a person's."""

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PHONE = re.compile(r"(?<![\w+.-])(?:\+|00)\d{1,3}(?:[ ./-]?\(?\d{1,4}\)?){2,6}(?![\w-])")
_MIN_PHONE_DIGITS = 8
"""Digits that a phone number has at least, with its country's."""


class Mask(Struct, frozen=True):
    """Which values are hidden; `listed` are the fields, or paths of fields, that the user names, whatever the case.

    With `personal` off, those alone are.
    """

    listed: frozenset[str] = field(default_factory=frozenset)
    personal: bool = True

    @classmethod
    def of(cls, names: Names[str], *, personal: bool = True) -> "Mask":
        """The mask with the user's own fields."""
        return cls(frozenset(name.casefold() for name in names), personal)

    def hides(self, name: str, beside: Names[str] = (), domain: str = "", path: str = "") -> bool:
        """Whether a field is hidden, by its name.

        `beside` are the names of the fields it stands among, `domain` is that of the collection where the field is a
        record's own, `path` is the whole path of one inside another.
        """
        if name.casefold() in self.listed or path.casefold() in self.listed:
            return True
        if not self.personal:
            return False
        plain = _normalize_name(name)
        if plain in _PERSONAL_FIELDS or plain.endswith(_PERSONAL_SUFFIXES) or plain in _ROLE_NAME_FIELDS:
            return True
        if plain != _BARE_NAME:
            return False
        return domain == WORKFORCE_DOMAIN or any(_normalize_name(other) in _PERSON_INDICATORS for other in beside)

    def fields(
        self, fields: Mapping[str, Json], domain: str = "", beside: Names[str] | None = None
    ) -> Mapping[str, Json]:
        """The fields of a record, or some of them, fit to be seen by anybody; `beside` names all that it has."""
        return self._object(fields, domain, fields if beside is None else beside, "")

    def record(self, record: Record, domain: str = "") -> Record:
        """The record fit to be seen by anybody."""
        return Record(self.fields(record.fields, domain), record.etag)

    def draft(self, draft: Draft, domain: str = "") -> Draft:
        """The draft fit to be seen by anybody: the same fields are edited."""
        base, edits = self.record(draft.base, domain), self.fields(draft.edits, domain, draft.fields)
        return replace(draft, base=base, edits=edits)

    def entry(self, entry: JournalEntry) -> JournalEntry:
        """A write of the journal fit to be seen by anybody."""
        intent, outcome = entry.intent, entry.outcome
        domain = intent.place.partition("/")[0] or domain_of(intent.target)
        beside = (*(intent.before or ()), *(intent.after or ()))
        before = None if intent.before is None else self.fields(intent.before, domain, beside)
        after = None if intent.after is None else self.fields(intent.after, domain, beside)
        if outcome is not None:
            outcome = replace(outcome, message=self.text(outcome.message))
        return replace(entry, intent=replace(intent, before=before, after=after), outcome=outcome)

    def value(self, value: Json, path: str = "") -> Json:
        """A value that stands alone, or in a field that is not hidden by its name: what is in it may be."""
        match value:
            case str():
                return self.text(value)
            case Mapping():
                return self._object(value, "", value, path)
            case list():
                return [self.value(item, path) for item in value]
            case _:
                return value

    def value_at(self, path: str, value: Json, domain: str = "", beside: Names[str] = ()) -> Json:
        """The value at a path of a record of that domain; `beside` names the record's own fields."""
        dotted = ".".join(path_steps({}, path))
        if "." not in dotted:
            return self.fields({path: value}, domain, (path, *beside))[path]
        return mask_value(value) if self._path_is_hidden(dotted, domain) else self.value(value, dotted)

    def text(self, text: str) -> str:
        """A text without the e-mail addresses and phone numbers in it."""
        if not self.personal:
            return text
        if "@" in text:
            text = _EMAIL.sub(MASKED, text)
        return _PHONE.sub(_mask_phone, text)

    def pair(self, name: str, value: str, domain: str = "") -> str:
        """A value that is asked of the service by the name of a field."""
        return MASKED if value and self._path_is_hidden(name, domain) else self.text(value)

    def filter(self, chosen: Filter, domain: str = "") -> str:
        """A filter as it may be seen: the value of a term is hidden if it is for a hidden field or for any field."""
        return " ".join(self._term(term, domain) for term in chosen.terms)

    def _term(self, term: Term, domain: str) -> str:
        hidden = not term.field or self._path_is_hidden(term.field, domain)
        value = MASKED if hidden and term.value else self.text(term.value)
        if " " in value:
            value = f'"{value}"'
        return f"{'!' if term.inverted else ''}{term.field}{term.operator if term.field else ''}{value}"

    def _path_is_hidden(self, path: str, domain: str) -> bool:
        """Whether the field at a path is hidden, or one that it is in; a bare `name` may be a person's anywhere."""
        steps = path.split(".")
        return (self.personal and _normalize_name(steps[-1]) == _BARE_NAME) or any(
            self.hides(step, (), "" if at else domain, ".".join(steps[: at + 1])) for at, step in enumerate(steps)
        )

    def body(self, body: bytes, domain: str = "", beside: Names[str] = ()) -> bytes:
        """A body of a request or an answer: JSON field by field, other text by what its words look like.

        `beside` names the fields of a record that the body changes some of.
        Nothing is left of one that is no whole JSON but begins like it: nobody can tell its fields apart.
        """
        try:
            value = loads(body)
        except JsonError:
            if body.lstrip()[:1] in (b"{", b"["):
                return MASKED.encode()
            try:
                text = body.decode()
            except UnicodeDecodeError:
                return body
            masked = self.text(text)
            return body if masked == text else masked.encode()
        if beside and isinstance(value, Mapping):
            masked_value: Json = self.fields(value, domain, (*value, *beside))
        else:
            masked_value = self._records(value, domain)
        return body if masked_value == value else encode_json(masked_value)

    def _records(self, value: Json, domain: str) -> Json:
        """A record, or a page of them."""
        if isinstance(value, Mapping) and isinstance(items := value.get("items"), list):
            return {**self._object(value, "", value, ""), "items": [self._records(item, domain) for item in items]}
        if isinstance(value, list):
            return [self._records(item, domain) for item in value]
        return self.fields(value, domain) if isinstance(value, Mapping) else self.value(value)

    def _object(self, fields: Mapping[str, Json], domain: str, beside: Names[str], path: str) -> Mapping[str, Json]:
        return {name: self._field(name, value, domain, beside, path) for name, value in fields.items()}

    def _field(self, name: str, value: Json, domain: str, beside: Names[str], path: str) -> Json:
        inner = f"{path}.{name}" if path else name
        return mask_value(value) if self.hides(name, beside, domain, inner) else self.value(value, inner)


def _mask_phone(match: re.Match[str]) -> str:
    digits = sum(map(str.isdigit, match.group()))
    return MASKED if digits >= _MIN_PHONE_DIGITS else match.group()


def mask_value(value: Json) -> Json:
    """A value that nobody is to see: every one in it masked, its shape kept."""
    match value:
        case None | "":
            return value
        case Mapping():
            return {name: mask_value(item) for name, item in value.items()}
        case list():
            return [mask_value(item) for item in value]
        case _:
            return MASKED


def domain_of(target: str) -> str:
    """The domain that a path is in: `workforce` of `/v1/workforce/workers/wrk-0001`."""
    return target.partition("?")[0].removeprefix(f"{VERSION_PREFIX}/").partition("/")[0]


def _normalize_name(name: str) -> str:
    return name.replace("_", "").replace("-", "").replace(" ", "").casefold()
