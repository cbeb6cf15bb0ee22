"""Values of the notation in ECMAScript, and what is done with them there.

Sets are sorted arrays, maps sorted arrays of pairs, records objects whose fields are in the order
of their declaration, None is null: equal values have equal JSON.
"""

from __future__ import annotations

import json
from typing import Any

RUNTIME_LIBRARY = """\
var sm_ = {
  key: function (x) { return JSON.stringify(x); },
  eq: function (a, b) { return JSON.stringify(a) === JSON.stringify(b); },
  sorted: function (xs) { return xs.slice().sort(function (a, b) {
    var k = sm_.key(a), l = sm_.key(b); return k === l ? 0 : k < l ? -1 : 1; }); },
  set: function (xs) { var known = {}; xs.forEach(function (x) { known[sm_.key(x)] = x; });
    return sm_.sorted(Object.keys(known).map(function (k) { return known[k]; })); },
  map: function (ps) { var known = {}; ps.forEach(function (p) { known[sm_.key(p[0])] = p; });
    return sm_.sorted(Object.keys(known).map(function (k) { return known[k]; })); },
  has: function (xs, x) { return xs.some(function (one) { return sm_.eq(one, x); }); },
  within: function (a, b) { return a.every(function (x) { return sm_.has(b, x); }); },
  union: function (a, b) { return sm_.set(a.concat(b)); },
  both: function (a, b) { return a.filter(function (x) { return sm_.has(b, x); }); },
  minus: function (a, b) { return a.filter(function (x) { return !sm_.has(b, x); }); },
  keys: function (m) { return m.map(function (p) { return p[0]; }); },
  values: function (m) { return m.map(function (p) { return p[1]; }); },
  get: function (m, k, d) {
    var found = m.filter(function (p) { return sm_.eq(p[0], k); });
    return found.length ? found[0][1] : d;
  },
  at: function (xs, i) { return xs[i < 0 ? xs.length + i : i]; },
  flat: function (xs, f) { return Array.prototype.concat.apply([], xs.map(f)); },
  sum: function (xs) { return xs.reduce(function (a, b) { return a + b; }, 0); },
  least: function (xs, d) { return xs.length ? Math.min.apply(null, xs) : d; },
  most: function (xs, d) { return xs.length ? Math.max.apply(null, xs) : d; },
  range: function (a, b) { var xs = []; for (var i = a; i < b; i += 1) { xs.push(i); } return xs; },
  first: function (xs, otherwise) { return xs.length ? xs[0] : otherwise; },
  but: function (r, c) {
    var made = {};
    Object.keys(r).forEach(function (k) { made[k] = k in c ? c[k] : r[k]; });
    return made;
  },
  div: function (a, b) { return Math.floor(a / b); },
  mod: function (a, b) { return ((a % b) + b) % b; }
};"""
"""What the expressions call; kept in a `<script>` of the document."""


def literal(value: object) -> str:
    """Return a value of the notation in ECMAScript.

    Args:
        value: one of the notation's.

    Returns:
        An expression of ECMAScript; elements of sets in their order.

    >>> literal(frozenset({"tea", "coffee"})), literal(None), literal(True)
    ('["coffee","tea"]', 'null', 'true')
    """
    return json.dumps(_json_value(value), ensure_ascii=False, separators=(",", ":"))


def _json_value(value: object) -> Any:
    match value:
        case frozenset():
            return sorted(map(_json_value, value), key=_sort_key)
        case dict():
            return sorted(
                ([_json_value(key), _json_value(member)] for key, member in value.items()),
                key=_sort_key,
            )
        case tuple():
            names = getattr(value, "_fields", None)
            return (
                list(map(_json_value, value))
                if names is None
                else dict(zip(names, map(_json_value, value), strict=True))
            )
    return value


def _sort_key(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
