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
pub(crate) const FILTER_QUERY: Parameter = Parameter::text("query", FILTER);

/// The text to look for.
pub(crate) const SEARCH: Parameter =
    Parameter::text("search", "Text to look for, capitals or not.");

/// The query parameters that every paged list reads.
pub const LIST: &[Parameter] = &[
    Parameter {
        name: "limit",
        meaning: "Rows of a page, 1 to 100; 10 when absent.",
        kind: ParameterKind::Count { least: 1, most: 100, absent: 10 },
    },
    Parameter::text(
        "next_cursor",
        "Goes on after the page that answered this cursor, in the same order.",
    ),
    Parameter::text(
        "prev_cursor",
        "Goes back before the page that answered this cursor, in the same order.",
    ),
    Parameter::flag(
        "include_total_count",
        "Whether `pagination.total` is counted; true when absent, -1 answers false.",
    ),
    Parameter::texts(
        "order_by",
        "A field to order by, `-` before it for descending; repeat it for more fields.",
    ),
    FILTER_QUERY,
    SEARCH,
    Parameter::flag("deleted", "True for the trash only; false when absent."),
];
