"""The JSON Schema of spec files, made from the table of keys, for editors that complete and check while a person writes."""

from __future__ import annotations

import json
import re
from typing import Any

from attrs import define, field

from statemachines.notation.keys import KINDS
from statemachines.notation.shapes import Either, Expression, Flag, Key, Keys, Listed, Names, Nothing, Number, Shape, Text

Schema = dict[str, Any]

_SCALAR: Schema = {"type": ["string", "number", "boolean"]}


def machine_schema() -> Schema:
    """Return the schema, Draft 2020-12.

    Limits: it knows no names, ranges or templates; `statemachines lint` does.
    """
    maker = _Maker()
    whole: Schema = {"$ref": maker.named(KINDS["machine"], "machine")}
    for kind, shape in reversed(KINDS.items()):
        whole = {"if": {"required": [kind]}, "then": {"$ref": maker.named(shape, kind)}, "else": whole}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A spec of statemachines",
        "description": "One machine, system, library, family or extension a file.",
        "type": "object",
        **whole,
        "$defs": dict(sorted(maker.definitions.items())),
    }


def written() -> str:
    """Return the schema as the text of its file."""
    return json.dumps(machine_schema(), indent=1, ensure_ascii=False) + "\n"


@define
class _Maker:
    """Turns shapes into schemas; mappings with keys become definitions, each once."""

    definitions: dict[str, Schema] = field(factory=dict)
    names: dict[int, str] = field(factory=dict)

    def named(self, shape: Shape, wanted: str) -> str:
        """Return the reference of a shape that has a definition of its own."""
        if id(shape) not in self.names:
            name = next(name for name in (wanted, *(f"{wanted}{number}" for number in range(2, 99))) if name not in self.definitions)
            self.names[id(shape)] = name
            self.definitions[name] = {}
            self.definitions[name] = self.keys(shape) if isinstance(shape, Keys) else self.schema(shape)
        return f"#/$defs/{self.names[id(shape)]}"

    def schema(self, shape: Shape) -> Schema:
        match shape:
            case Text(choices=choices, pattern=pattern):
                limits: Schema = {"enum": list(choices)} if choices else {"pattern": f"^(?:{pattern})$"} if pattern else {}
                return {"type": "string", **limits}
            case Flag():
                return {"type": "boolean"}
            case Number(only):
                return {"type": "integer", "const": only}
            case Nothing():
                return {"type": "null"}
            case Expression():
                return {"$ref": self._expression()}
            case Listed(item):
                return {"type": "array", "minItems": 1, "items": self.schema(item)}
            case Names(value, pattern):
                return {"type": "object", "propertyNames": {"pattern": f"^(?:{pattern})$"}, "additionalProperties": self.schema(value)}
            case Keys():
                return {"$ref": self.named(shape, re.sub(r"\W+", "_", shape.called.removeprefix("a ").removeprefix("an ")).strip("_"))}
            case Either(shapes):
                return {"anyOf": [self.schema(option) for option in shapes]}

    def keys(self, shape: Keys) -> Schema:
        """Return the schema of a mapping with known keys."""
        return {
            "type": "object",
            "additionalProperties": False,
            "required": [key.name for key in shape.keys if key.required],
            "properties": {key.name: self._described(key) for key in shape.keys},
        }

    def _described(self, key: Key) -> Schema:
        schema = self.schema(key.shape)
        return {"description": key.doc, **schema} if key.doc else schema

    def _expression(self) -> str:
        ranged = {
            "type": "object",
            "additionalProperties": False,
            "required": ["is"],
            "properties": {"in": {"type": "string"}, "is": {"$ref": "#/$defs/expression"}},
        }
        self.definitions.setdefault(
            "expression",
            {"description": "An expression or a type.", "anyOf": [_SCALAR, {"type": "array", "minItems": 1, "items": ranged}]},
        )
        return "#/$defs/expression"
