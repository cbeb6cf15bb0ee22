"""The JSON Schema of spec files, made from the table of keys, for editors that complete and check
while a person writes.
"""

from __future__ import annotations

import json
import re
from typing import Any

from attrs import define, field

from statemachines.notation.document.key_shapes import (
    AlternativeShapes,
    EmptyShape,
    ExpressionShape,
    FlagShape,
    ListShape,
    MappingKey,
    MappingShape,
    NamesShape,
    NumberShape,
    Shape,
    TextShape,
)
from statemachines.notation.document.notation_keys import SHAPES_BY_FILE_KIND

JsonSchema = dict[str, Any]

_SCALAR_SCHEMA: JsonSchema = {"type": ["string", "number", "boolean"]}
_EMPTY_SCHEMAS: tuple[JsonSchema, ...] = (
    {"type": "array", "maxItems": 0},
    {"type": "object", "maxProperties": 0},
)


def machine_schema() -> JsonSchema:
    """Return the schema, Draft 2020-12.

    Limits: it knows no names, ranges or templates; `statemachines lint` does.

    Source: JSON Schema, draft 2020-12.
    """
    maker = _SchemaBuilder()
    whole: JsonSchema = {"$ref": maker.reference_to(SHAPES_BY_FILE_KIND["machine"], "machine")}
    for kind, shape in reversed(SHAPES_BY_FILE_KIND.items()):
        whole = {
            "if": {"required": [kind]},
            "then": {"$ref": maker.reference_to(shape, kind)},
            "else": whole,
        }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A spec of statemachines",
        "description": "One machine, system, library, family or extension a file.",
        "type": "object",
        **whole,
        "$defs": dict(sorted(maker.definitions.items())),
    }


def schema_text() -> str:
    """Return the schema as the text of its file."""
    return json.dumps(machine_schema(), indent=1, ensure_ascii=False) + "\n"


@define
class _SchemaBuilder:
    """Turns shapes into schemas; mappings with keys become definitions, each once."""

    definitions: dict[str, JsonSchema] = field(factory=dict)
    names: dict[int, str] = field(factory=dict)

    def reference_to(self, shape: Shape, wanted: str) -> str:
        """Return the reference of a shape that has a definition of its own."""
        if id(shape) not in self.names:
            name = next(
                name
                for name in (wanted, *(f"{wanted}{number}" for number in range(2, 99)))
                if name not in self.definitions
            )
            self.names[id(shape)] = name
            self.definitions[name] = {}
            self.definitions[name] = (
                self.mapping_schema(shape)
                if isinstance(shape, MappingShape)
                else self.schema_for(shape)
            )
        return f"#/$defs/{self.names[id(shape)]}"

    def schema_for(self, shape: Shape) -> JsonSchema:
        match shape:
            case TextShape(choices=choices, pattern=pattern):
                limits: JsonSchema = (
                    {"enum": list(choices)}
                    if choices
                    else {"pattern": f"^(?:{pattern})$"}
                    if pattern
                    else {}
                )
                return {"type": "string", **limits}
            case FlagShape():
                return {"type": "boolean"}
            case NumberShape(only, minors):
                return {"type": "number", "enum": [only, *minors]}
            case EmptyShape():
                return {"type": "null"}
            case ExpressionShape(native=native):
                return {"$ref": self._value_reference() if native else self._expression_reference()}
            case ListShape(item, may_be_empty):
                least = {} if may_be_empty else {"minItems": 1}
                return {"type": "array", **least, "items": self.schema_for(item)}
            case NamesShape(value, pattern, each_pattern):
                names = f"{pattern}|{each_pattern}" if each_pattern else pattern
                schema: JsonSchema = {
                    "type": "object",
                    "propertyNames": {"pattern": f"^(?:{names})$"},
                    "additionalProperties": self.schema_for(value),
                }
                if each_pattern:
                    inside = self.schema_for(NamesShape(value, pattern))
                    schema["patternProperties"] = {f"^(?:{each_pattern})$": inside}
                return schema
            case MappingShape():
                return {
                    "$ref": self.reference_to(
                        shape,
                        re.sub(
                            r"\W+", "_", shape.label.removeprefix("a ").removeprefix("an ")
                        ).strip("_"),
                    )
                }
            case AlternativeShapes(shapes):
                if any(isinstance(option, ListShape) for option in shapes):
                    shapes = tuple(map(_without_native_values, shapes))
                return {"anyOf": [self.schema_for(option) for option in shapes]}

    def mapping_schema(self, shape: MappingShape) -> JsonSchema:
        """Return the schema of a mapping with known keys."""
        return {
            "type": "object",
            "additionalProperties": False,
            "required": [key.name for key in shape.keys if key.required],
            "properties": {key.name: self._described_schema(key) for key in shape.keys},
        }

    def _described_schema(self, key: MappingKey) -> JsonSchema:
        schema = self.schema_for(key.shape)
        return {"description": key.doc, **schema} if key.doc else schema

    def _value_reference(self) -> str:
        scalar_or_empty = [_SCALAR_SCHEMA, *_EMPTY_SCHEMAS]
        self.definitions.setdefault(
            "value",
            {
                "description": "An expression, a type, or an empty list or mapping.",
                "anyOf": [*scalar_or_empty, _ranged({"anyOf": scalar_or_empty})],
            },
        )
        return "#/$defs/value"

    def _expression_reference(self) -> str:
        self.definitions.setdefault(
            "expression",
            {
                "description": "An expression or a type.",
                "anyOf": [_SCALAR_SCHEMA, _ranged({"anyOf": [_SCALAR_SCHEMA, *_EMPTY_SCHEMAS]})],
            },
        )
        return "#/$defs/expression"


def _ranged(value: JsonSchema) -> JsonSchema:
    """Return the schema of a list of values with the releases in which each counts."""
    entry = {
        "type": "object",
        "additionalProperties": False,
        "required": ["is"],
        "properties": {"in": {"type": "string"}, "is": value},
    }
    return {"type": "array", "minItems": 1, "items": entry}


def _without_native_values(shape: Shape) -> Shape:
    """Return a shape that leaves empty lists and mappings to the shapes beside it."""
    return ExpressionShape(native=False) if isinstance(shape, ExpressionShape) else shape


if __name__ == "__main__":
    print(schema_text(), end="")
