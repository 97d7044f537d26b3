//! The messages to FURS: technical specification 3.2, `FiscalVerificationSchema` as XSD and as
//! JSON. Where the two differ, what both allow.

use super::{Field, Holds, Part, Parts, Simple, field, group, groups, maybe, one};

/// A message to FURS.
pub const INVOICE_REQUEST: Parts = &[
    HEADER,
    Part::Either(&[
        field("Invoice", 1, 1, Holds::Parts(INVOICE)),
        field("SalesBookInvoice", 1, 1, Holds::Parts(SALES_BOOK_INVOICE)),
    ]),
];

/// A business premise, reported, changed or closed.
pub const PREMISE_REQUEST: Parts = &[HEADER, group("BusinessPremise", PREMISE)];

const AMOUNT: Simple = Simple::Decimal { whole: 14, fraction: 2 };
const RATE: Simple = Simple::Decimal { whole: 5, fraction: 2 };
const MANY: usize = 1_000;
const NOTES: Part = maybe("SpecialNotes", Simple::Text(1, 1_000));

const HEADER: Part = group(
    "Header",
    &[one("MessageID", Simple::Uuid { any_case: true }), one("DateTime", Simple::DateTime)],
);

const INVOICE: Parts = &[
    one("TaxNumber", Simple::TaxNumber),
    one("IssueDateTime", Simple::DateTime),
    one("NumberingStructure", Simple::OneOf(&["B", "C"])),
    group("InvoiceIdentifier", IDENTIFIER),
    maybe("CustomerVATNumber", Simple::Text(1, 20)),
    one("InvoiceAmount", AMOUNT),
    maybe("ReturnsAmount", AMOUNT),
    one("PaymentAmount", AMOUNT),
    groups("TaxesPerSeller", 1, MANY, TAXES),
    maybe("OperatorTaxNumber", Simple::TaxNumber),
    maybe("ForeignOperator", Simple::Truth),
    one("ProtectedID", Simple::Text(32, 32)),
    maybe("SubsequentSubmit", Simple::Truth),
    groups(
        "ReferenceInvoice",
        0,
        MANY,
        &[
            group("ReferenceInvoiceIdentifier", IDENTIFIER),
            one("ReferenceInvoiceIssueDateTime", Simple::DateTime),
        ],
    ),
    REFERENCE_SALES_BOOK,
    NOTES,
];

const IDENTIFIER: Parts = &[
    one("BusinessPremiseID", Simple::Label),
    one("ElectronicDeviceID", Simple::Label),
    one("InvoiceNumber", Simple::Number),
];

const TAXES: Parts = &[
    maybe("SellerTaxNumber", Simple::TaxNumber),
    groups(
        "VAT",
        0,
        MANY,
        &[one("TaxRate", RATE), one("TaxableAmount", AMOUNT), one("TaxAmount", AMOUNT)],
    ),
    groups(
        "FlatRateCompensation",
        0,
        MANY,
        &[
            one("FlatRateRate", RATE),
            one("FlatRateTaxableAmount", AMOUNT),
            one("FlatRateAmount", AMOUNT),
        ],
    ),
    maybe("OtherTaxesAmount", AMOUNT),
    maybe("ExemptVATTaxableAmount", AMOUNT),
    maybe("ReverseVATTaxableAmount", AMOUNT),
    maybe("NontaxableAmount", AMOUNT),
    maybe("SpecialTaxRulesAmount", AMOUNT),
];

const SALES_BOOK: Parts = &[
    one("InvoiceNumber", Simple::Text(1, 20)),
    one("SetNumber", Simple::Text(2, 2)),
    one("SerialNumber", Simple::Text(12, 12)),
];

const REFERENCE_SALES_BOOK: Part = groups(
    "ReferenceSalesBook",
    0,
    MANY,
    &[
        group("ReferenceSalesBookIdentifier", SALES_BOOK),
        one("ReferenceSalesBookIssueDate", Simple::Date),
    ],
);

const SALES_BOOK_INVOICE: Parts = &[
    one("TaxNumber", Simple::TaxNumber),
    one("IssueDate", Simple::Date),
    Part::One(field("SalesBookIdentifier", 0, 1, Holds::Parts(SALES_BOOK))),
    one("BusinessPremiseID", Simple::Label),
    maybe("CustomerVATNumber", Simple::Text(1, 20)),
    one("InvoiceAmount", AMOUNT),
    maybe("ReturnsAmount", AMOUNT),
    one("PaymentAmount", AMOUNT),
    groups("TaxesPerSeller", 1, MANY, TAXES),
    REFERENCE_SALES_BOOK,
    groups(
        "ReferenceInvoice",
        0,
        MANY,
        &[
            group("ReferenceInvoiceIdentifier", IDENTIFIER),
            // The XSD lets it be missing, the JSON schema does not.
            Part::One(Field {
                name: "ReferenceInvoiceIssueDateTime",
                least: 0,
                least_in_json: 1,
                most: 1,
                holds: Holds::Value(Simple::DateTime),
            }),
        ],
    ),
    NOTES,
];

const PREMISE: Parts = &[
    one("TaxNumber", Simple::TaxNumber),
    one("BusinessPremiseID", Simple::Label),
    group(
        "BPIdentifier",
        &[Part::Either(&[
            field("RealEstateBP", 1, 1, Holds::Parts(REAL_ESTATE)),
            field("PremiseType", 1, 1, Holds::Value(Simple::OneOf(&["A", "B", "C"]))),
            field("VendingMachine", 1, 1, Holds::Parts(VENDING_MACHINE)),
        ])],
    ),
    one("ValidityDate", Simple::Date),
    maybe("ClosingTag", Simple::OneOf(&["Z"])),
    groups(
        "SoftwareSupplier",
        1,
        MANY,
        &[Part::Either(&[
            field("TaxNumber", 1, 1, Holds::Value(Simple::TaxNumber)),
            field("NameForeign", 1, 1, Holds::Value(Simple::Text(1, 1_000))),
        ])],
    ),
    NOTES,
];

const REAL_ESTATE: Parts = &[
    group(
        "PropertyID",
        &[
            one("CadastralNumber", Simple::Whole(4)),
            one("BuildingNumber", Simple::Whole(5)),
            one("BuildingSectionNumber", Simple::Whole(4)),
        ],
    ),
    group("Address", ADDRESS),
];

const ADDRESS: Parts = &[
    one("Street", Simple::Text(1, 100)),
    one("HouseNumber", Simple::Text(1, 10)),
    maybe("HouseNumberAdditional", Simple::Text(1, 10)),
    one("Community", Simple::Text(1, 100)),
    one("City", Simple::Text(1, 100)),
    one("PostalCode", Simple::Text(4, 4)),
];

const VENDING_MACHINE: Parts = &[
    one("VPremiseType", Simple::OneOf(&["D", "E", "F"])),
    Part::Either(&[
        field("Address", 1, 1, Holds::Parts(ADDRESS)),
        field("Geolocation", 1, 1, Holds::Parts(GEOLOCATION)),
    ]),
];

const GEOLOCATION: Parts = &[
    one("Latitude", Simple::Decimal { whole: 2, fraction: 6 }),
    one("Longitude", Simple::Decimal { whole: 3, fraction: 6 }),
];
