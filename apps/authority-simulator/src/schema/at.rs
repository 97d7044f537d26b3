//! The messages to AT: the schemas in the WSDLs of SeriesWS and Fatcorews. Of the series only the
//! shape is in the schema; values are judged by the service.

use super::{Field, Holds, Part, Parts, Simple, field, group, groups, maybe, one};

const MANY: usize = 10_000;
const SERIES: Part = one("serie", Simple::Text(0, 35));
const CLASS: Part = one("classeDoc", Simple::Text(2, 2));
const CODE: Part = one("tipoDoc", Simple::Text(2, 2));
const VALIDATION: Part = one("codValidacaoSerie", Simple::Text(8, 8));

/// `registarSerie`.
pub const REGISTER: Parts = &[
    SERIES,
    one("tipoSerie", Simple::Text(1, 1)),
    CLASS,
    CODE,
    one("numInicialSeq", Simple::Whole(25)),
    one("dataInicioPrevUtiliz", Simple::Date),
    one("numCertSWFatur", Simple::Whole(4)),
    one("meioProcessamento", Simple::Text(2, 2)),
];

/// `finalizarSerie`.
pub const FINALISE: Parts = &[
    SERIES,
    CLASS,
    CODE,
    VALIDATION,
    one("seqUltimoDocEmitido", Simple::Whole(25)),
    maybe("justificacao", Simple::Text(0, 4_000)),
];

/// `anularSerie`.
pub const ANNUL: Parts = &[
    SERIES,
    CLASS,
    CODE,
    VALIDATION,
    one("motivo", Simple::Text(2, 2)),
    one("declaracaoNaoEmissao", Simple::Truth),
];

/// `consultarSeries`.
pub const CONSULT: Parts = &[
    maybe("serie", Simple::Text(0, 35)),
    maybe("tipoSerie", Simple::Text(1, 1)),
    maybe("classeDoc", Simple::Text(2, 2)),
    maybe("tipoDoc", Simple::Text(2, 2)),
    maybe("codValidacaoSerie", Simple::Text(8, 8)),
    maybe("dataRegistoDe", Simple::Date),
    maybe("dataRegistoAte", Simple::Date),
    maybe("estado", Simple::Text(1, 1)),
    maybe("meioProcessamento", Simple::Text(2, 2)),
];

const AMOUNT: Simple = Simple::Amount(13);
const VERSION: Part = one("eFaturaMDVersion", Simple::OneOf(&["0.0.1"]));
const ISSUER: Part = one("TaxRegistrationNumber", Simple::Text(9, 9));

/// What names an invoice, and what comes after it.
macro_rules! invoice {
    ($($more:expr),*) => {
        &[
            one("InvoiceNo", Simple::Text(1, 60)),
            one("ATCUD", Simple::Text(1, 100)),
            one("InvoiceDate", Simple::Date),
            one("InvoiceType", Simple::OneOf(&["FT", "NC", "ND", "FS", "FR"])),
            one("SelfBillingIndicator", Simple::OneOf(&["0", "1"])),
            one("CustomerTaxID", Simple::Text(1, 30)),
            one("CustomerTaxIDCountry", Simple::Text(2, 12)),
            $($more),*
        ]
    };
}

const STATUS: Parts = &[
    one("InvoiceStatus", Simple::OneOf(&["N", "A", "F", "S"])),
    one("InvoiceStatusDate", Simple::DateTime),
];

/// `RegisterInvoiceRequest`.
pub const INVOICE: Parts = &[
    VERSION,
    one("AuditFileVersion", Simple::OneOf(&["1.04_01"])),
    ISSUER,
    one("TaxEntity", Simple::Text(1, 20)),
    one("SoftwareCertificateNumber", Simple::Whole(4)),
    group(
        "InvoiceData",
        invoice!(
            group("DocumentStatus", STATUS),
            one("HashCharacters", Simple::Text(1, 4)),
            one("CashVATSchemeIndicator", Simple::OneOf(&["0", "1"])),
            one("PaperLessIndicator", Simple::OneOf(&["0", "1"])),
            maybe("EACCode", Simple::Whole(5)),
            one("SystemEntryDate", Simple::DateTime),
            groups("LineSummary", 1, MANY, LINE),
            group(
                "DocumentTotals",
                &[one("TaxPayable", AMOUNT), one("NetTotal", AMOUNT), one("GrossTotal", AMOUNT)]
            ),
            groups(
                "WithholdingTax",
                0,
                MANY,
                &[
                    maybe("WithholdingTaxType", Simple::OneOf(&["IRS", "IRC", "IS"])),
                    one("WithholdingTaxAmount", AMOUNT)
                ]
            )
        ),
    ),
];

/// `ChangeInvoiceStatusRequest`.
pub const CHANGE: Parts =
    &[VERSION, ISSUER, group("InvoiceHeader", invoice!()), group("InvoiceStatus", STATUS)];

const LINE: Parts = &[
    groups(
        "OrderReferences",
        0,
        MANY,
        &[maybe("OriginatingON", Simple::Text(1, 60)), maybe("OrderDate", Simple::Date)],
    ),
    one("TaxPointDate", Simple::Date),
    Part::One(field("Reference", 0, MANY, Holds::Value(Simple::Text(1, 60)))),
    one("DebitCreditIndicator", Simple::OneOf(&["D", "C"])),
    Part::Either(AMOUNTS),
    group(
        "Tax",
        &[
            one("TaxType", Simple::OneOf(&["IVA", "IS", "NS"])),
            one("TaxCountryRegion", Simple::Text(2, 5)),
            one("TaxCode", Simple::Text(1, 10)),
            one("TaxPercentage", Simple::Amount(3)),
        ],
    ),
    maybe("TaxExemptionCode", Simple::Text(3, 30)),
];

const AMOUNTS: &[Field] = &[
    field("TotalTaxBase", 0, 1, Holds::Value(AMOUNT)),
    field("Amount", 0, 1, Holds::Value(AMOUNT)),
];
