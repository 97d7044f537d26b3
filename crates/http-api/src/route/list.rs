//! The query parameters of lists.

use super::{Parameter, ParameterKind};

/// The language of the parameter `query`.
const FILTER: &str = "A filter: a JSON object, encoded for the address, that names fields and \
                      what must hold of each; all of it must. `{\"paid_in_full\": false}` \
                      compares, `{\"total\": {\"gte\": 100, \"lt\": 200}}` takes operators: \
                      `equals`, `not`, `gt`, `gte`, `lt`, `lte`, `in`, `notIn`, `between` (two \
                      values, both included), and of text `contains`, `startsWith`, `endsWith`, \
                      which ignore capitals. `null` is a value: `{\"voided_at\": null}`, \
                      `{\"voided_at\": {\"not\": null}}`. A dot leads into an object \
                      (`{\"customer.name\": {\"contains\": \"bor\"}}`), and metadata is named as \
                      it is nested: `{\"metadata\": {\"order\": \"17\"}}`. Dates are `YYYY-MM-DD` \
                      or instants. An unknown field or operator is 422.";

/// The filter.
pub(crate) const FILTER_QUERY: Parameter =
    Parameter { name: "query", meaning: FILTER, kind: ParameterKind::Text };

/// The text to look for.
pub(crate) const SEARCH: Parameter = Parameter {
    name: "search",
    meaning: "Text to look for, capitals or not.",
    kind: ParameterKind::Text,
};

/// The query parameters that every paged list reads.
pub const LIST: &[Parameter] = &[
    Parameter {
        name: "limit",
        meaning: "Rows of a page, 1 to 100; 10 when absent.",
        kind: ParameterKind::Count { least: 1, most: 100, absent: 10 },
    },
    Parameter {
        name: "next_cursor",
        meaning: "Goes on after the page that answered this cursor, in the same order.",
        kind: ParameterKind::Text,
    },
    Parameter {
        name: "prev_cursor",
        meaning: "Goes back before the page that answered this cursor, in the same order.",
        kind: ParameterKind::Text,
    },
    Parameter {
        name: "include_total_count",
        meaning: "Whether `pagination.total` is counted; true when absent, -1 answers false.",
        kind: ParameterKind::Flag,
    },
    Parameter {
        name: "order_by",
        meaning: "A field to order by, `-` before it for descending; repeat it for more fields.",
        kind: ParameterKind::Texts,
    },
    FILTER_QUERY,
    SEARCH,
    Parameter {
        name: "deleted",
        meaning: "True for the trash only; false when absent.",
        kind: ParameterKind::Flag,
    },
];
