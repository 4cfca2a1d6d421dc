"""Mutants of a module: copies of its source with one small change each, found in its syntax tree.

Changes that no test could see are left out: docstrings, log calls, annotations, decorators, `__slots__`, `repr`,
assertions and texts for people. So is a change that another one includes: `a and b` loses each operand, which a test
that notices `a or b` notices too.
"""

import ast
import re
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change to a module; `source` is the whole module with it."""

    path: str
    function: str
    lines: range
    """The lines of the statement that is changed, without those of its body."""
    old: str
    new: str
    source: str
    runs_at_import: bool

    @property
    def name(self) -> str:
        """The change without its line number, as the table of accepted mutants spells it."""
        return f"{self.function}: {self.old} → {self.new}"


COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
BOUNDARIES = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
}
FUNCTIONS = {"min": "max", "max": "min", "any": "all", "all": "any"}
SYMMETRIC = {*FUNCTIONS, "same_json"}
SQL = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b| WHERE ")
SQL_CHANGES = ((r"\bDESC\b", "ASC"), (r"\bAND\b", "OR"), (r"\bIS NULL\b", "IS NOT NULL"), ("(?<=[^!<>])= ", "!= "))
NO_LOCK = '__import__("contextlib").nullcontext()'
LOGS = {"log", "_log", "logger", "logging"}


def find_mutants(path: Path, name: str) -> list[Mutant]:
    """Return the mutants of the module at `path`, in the order of its lines; `name` is its path in messages."""
    finder = _Finder(path.read_text(encoding="utf-8"), name)
    finder.visit(finder.tree)
    return sorted(finder.mutants, key=lambda mutant: mutant.lines.start)


class _Finder(ast.NodeVisitor):
    def __init__(self, source: str, path: str) -> None:
        self.tree = ast.parse(source)
        self.mutants: list[Mutant] = []
        self._path = path
        self._source = source.encode()
        starts = [0, *(match.end() for match in re.finditer(b"\n", self._source))]
        self._starts = starts
        self._scope: list[str] = []
        self._statement: range = range(1)
        self._conditions: set[ast.AST] = set()
        """Expressions of which only the truth counts, for which both truths are tried where they are used."""
        self._bound: list[set[str]] = [set()]
        """Names with a value so far, by function around the node; the first are the module's."""
        self._members: dict[str, list[str]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr.isupper():
                self._members.setdefault(node.value.id, []).append(node.attr)

    # Making one

    def _span(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self._starts[node.lineno - 1] + node.col_offset,
            self._starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def _add(self, node: ast.AST, new: ast.AST | str, old: str | None = None) -> None:
        """Add the mutant in which `new` replaces `node`."""
        start, end = self._span(node)
        text = new if isinstance(new, str) else ast.unparse(new)
        replacement = text if isinstance(node, ast.stmt) else f"({text})"
        source = (self._source[:start] + replacement.encode() + self._source[end:]).decode()
        if old is None:
            old = ast.unparse(node)
        if old != text:
            function = ".".join(self._scope) or "module"
            is_outside = len(self._bound) == 1
            self.mutants.append(
                Mutant(self._path, function, self._statement, _one_line(old), _one_line(text), source, is_outside)
            )

    # Statements

    def visit(self, node: ast.AST) -> None:
        """Visit a node; a statement becomes the one that its expressions are part of."""
        around = self._statement
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            end = body[0].lineno if isinstance(body, list) and body else (node.end_lineno or node.lineno) + 1
            self._statement = range(node.lineno, max(end, node.lineno + 1))
        elif isinstance(node, ast.ExceptHandler):
            self._statement = range(node.lineno, node.lineno + 1)
        elif isinstance(node, ast.match_case):
            self._statement = range(node.pattern.lineno, node.body[0].lineno)
        super().visit(node)
        self._statement = around

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        if node.name in ("__repr__", "__str__"):
            return
        self._scope.append(node.name)
        arguments = node.args
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self.visit(default)
        self._bound.append({item.arg for item in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)})
        for statement in node.body:
            self.visit(statement)
        self._bound.pop()
        self._scope.pop()

    visit_FunctionDef = visit_AsyncFunctionDef = _visit_function  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._scope.append(node.name)
        for statement in node.body:
            self.visit(statement)
        self._scope.pop()

    def visit_Expr(self, node: ast.Expr) -> None:
        called = node.value.value if isinstance(node.value, ast.Await) else node.value
        if isinstance(called, ast.Constant) or _is_log_call(called):
            return
        if isinstance(called, ast.Call):
            self._add(node, "pass")
        self.generic_visit(node)

    def _visit_assignment(self, node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = {item.id for target in targets for item in ast.walk(target) if isinstance(item, ast.Name)}
        if names & {"__slots__", "__all__"} or node.value is None:
            return
        stored = [target for target in targets if isinstance(target, ast.Attribute | ast.Subscript)]
        if stored or isinstance(node, ast.AugAssign) or (len(self._bound) > 1 and names <= self._bound[-1]):
            self._add(node, "pass")
        self._bound[-1] |= names
        self.visit(node.value)

    visit_Assign = visit_AugAssign = visit_AnnAssign = _visit_assignment  # noqa: N815

    def _visit_removable(self, node: ast.Raise | ast.Continue | ast.Break | ast.Delete) -> None:
        self._add(node, "pass")
        self.generic_visit(node)

    visit_Raise = visit_Continue = visit_Break = visit_Delete = _visit_removable  # noqa: N815

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is None:
            self._add(node, "pass")
        elif not isinstance(node.value, ast.Constant | ast.Compare):
            self._add(node, "return None")
        self.generic_visit(node)

    def _visit_test(self, node: ast.If | ast.IfExp | ast.While) -> None:
        if ast.unparse(node.test) != "TYPE_CHECKING":
            self._add_truths(node.test, both=not isinstance(node, ast.While))
            self.generic_visit(node)

    visit_If = visit_IfExp = visit_While = _visit_test  # noqa: N815

    def visit_comprehension(self, node: ast.comprehension) -> None:
        """Drop each condition of a comprehension."""
        for test in node.ifs:
            self._add_truths(test, both=True)
        self.generic_visit(node)

    def _add_truths(self, test: ast.expr, *, both: bool) -> None:
        self._conditions.add(test)
        if isinstance(test, ast.Constant):
            return
        if both and not (isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)):
            self._add(test, "True")
        if not (isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or)):
            self._add(test, "False")

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        """Have an exception not caught."""
        if node.type is not None:
            self._add(node.type, "()")
        self.generic_visit(node)

    def visit_withitem(self, node: ast.withitem) -> None:
        """Have a lock not taken, an exception not suppressed."""
        if node.optional_vars is None:
            self._add(node.context_expr, NO_LOCK)
        self.generic_visit(node)

    def visit_Assert(self, node: ast.Assert) -> None:
        """Leave assertions alone: they state what the types can't."""

    # Expressions

    def visit_Compare(self, node: ast.Compare) -> None:
        for place, operator in enumerate(node.ops):
            if node not in self._conditions or len(node.ops) > 1 or isinstance(operator, BOUNDARIES):
                new = deepcopy(node)
                new.ops[place] = COMPARISONS[type(operator)]()
                self._add(node, new)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        if node in self._conditions:
            self._conditions.update(node.values)
        for place in range(len(node.values)):
            left = node.values[:place] + node.values[place + 1 :]
            self._add(node, left[0] if len(left) == 1 else ast.BoolOp(node.op, left))
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if node in self._conditions:
            self._conditions.add(node.operand)
        else:
            self._add(node, node.operand)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in ARITHMETIC:
            self._add(node, ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """Swap the first two arguments, and drop each that has a name."""
        name = ast.unparse(node.func)
        if name == "cast" or _is_log_call(node):
            return
        if name in FUNCTIONS:
            self._add(node, ast.Call(ast.Name(FUNCTIONS[name]), node.args, node.keywords))
        is_starred = any(isinstance(argument, ast.Starred) for argument in node.args[:2])
        if len(node.args) > 1 and name not in SYMMETRIC and not is_starred:
            first, second, *others = node.args
            self._add(node, ast.Call(node.func, [second, first, *others], node.keywords))
        for keyword in node.keywords:
            if keyword.arg not in (None, "repr"):
                left = [other for other in node.keywords if other is not keyword]
                self._add(node, ast.Call(node.func, node.args, left))
        for child in (node.func, *node.args, *(keyword.value for keyword in node.keywords if keyword.arg != "repr")):
            self.visit(child)

    def _visit_collection(self, node: ast.List | ast.Tuple | ast.Set) -> None:
        if isinstance(node, ast.Set) or isinstance(node.ctx, ast.Load):
            for place in range(len(node.elts)):
                left = node.elts[:place] + node.elts[place + 1 :]
                self._add(node, ast.Set(left) if isinstance(node, ast.Set) else type(node)(left, ast.Load()))
        for element in node.elts:
            if not _is_text(element):
                self.visit(element)

    visit_List = visit_Tuple = visit_Set = _visit_collection  # noqa: N815

    def visit_Dict(self, node: ast.Dict) -> None:
        for place in range(len(node.keys)):
            rest = slice(place + 1, None)
            self._add(node, ast.Dict(node.keys[:place] + node.keys[rest], node.values[:place] + node.values[rest]))
        for part in (*node.keys, *node.values):
            # A text that is another one is noticed where one that is left out is.
            if part is not None and not (part in node.keys and _is_text(part)):
                self.visit(part)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.visit(node.value)
        if not isinstance(node.slice, ast.Tuple | ast.List):  # Else the arguments of a type.
            self.visit(node.slice)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name) and node.attr.isupper():
            members = sorted(set(self._members[node.value.id]))
            other = members[(members.index(node.attr) + 1) % len(members)]
            self._add(node, ast.Attribute(node.value, other))
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self._add(node, repr(not value))
        elif isinstance(value, int):
            self._add(node, repr(value + 1))
        elif isinstance(value, float):
            self._add(node, repr(value * 10 or 1.0))
        elif isinstance(value, str) and SQL.search(value):
            self._add_sql(node)
        elif isinstance(value, str | bytes) and value and not re.search(r"\s", str(value)):
            self._add(node, repr("mutant" if isinstance(value, str) else b"mutant"))

    def _add_sql(self, node: ast.Constant) -> None:
        start, end = self._span(node)
        text = self._source[start:end].decode()
        for pattern, new in SQL_CHANGES:
            for match in re.finditer(pattern, text):
                around = slice(max(match.start() - 30, 0), match.end() + 30)
                self._add(node, text[: match.start()] + new + text[match.end() :], text[around])

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Drop each part of a text that is not for people; its inner positions are not told before Python 3.12."""
        constants = [part.value for part in node.values if isinstance(part, ast.Constant)]
        if not any(re.search(r"\s", str(constant)) for constant in constants):
            for place in range(len(node.values)):
                self._add(node, ast.JoinedStr(node.values[:place] + node.values[place + 1 :]))


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_log_call(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and ast.unparse(node.func.value).removeprefix("self.") in LOGS
    )


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)
