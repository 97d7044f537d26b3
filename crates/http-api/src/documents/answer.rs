//! Documents as they are answered: what all kinds have, once, and what each has of its own.

use std::collections::BTreeMap;

use racun_documents::{Document, DocumentId, DocumentKind, EInvoiceForm};
use racun_kernel::calendar::{format_date, format_instant, format_midnight};
use racun_kernel::{Decimal, Issues, Scope};
use racun_sales::documents as application;
use racun_sales::einvoicing;
use racun_store::Store;
use serde::Serialize;
use utoipa::ToSchema;

use super::e_invoice::ValidationBody;
use super::fiscal::{FinaFiscalizationBody, FursFiscalizationBody};
use super::input::{CalculationModeBody, TitleTypeBody, TranslationsBody};
use super::line::{
    AdvanceInvoiceItemBody, CreditNoteItemBody, DeliveryNoteItemBody, EstimateItemBody,
    InvoiceItemBody,
};
use super::output::{
    AppliedAdvanceBody, CreationSourceBody, DocumentViesBody, ExchangeRateBody, SummaryTaxBody,
    TransactionTypeBody,
};
use super::party::{PartyBody, UnitBody};
use super::portugal::PtBody;
use super::relation::RelationBody;
use crate::body::Convert;
use crate::call::Call;
use crate::error::ApiError;
use crate::schema::{nullable_number, number};
use crate::warning::WarningBody;

/// A document of one kind, as it is answered.
pub trait DocumentBody: Serialize + ToSchema + 'static {
    /// The kind.
    const KIND: DocumentKind;

    /// The kind's name in the description.
    const NAME: &'static str;

    /// `document`, which is of this kind, and its links.
    fn of(document: Document, document_relations: Vec<RelationBody>) -> Self;

    /// The same with what is odd about it beside other records.
    fn warned(self, more: Issues) -> Self;
}

/// `document`, which was made or changed, with its links and with what was left out of its lines.
/// It is stored already, so it is answered without that when the store does not say it.
pub(crate) async fn answered<B: DocumentBody>(
    call: &Call,
    document: Document,
    links: Vec<RelationBody>,
) -> B {
    let mut odd = application::archived_categories(call.cx(), &document).await.unwrap_or_default();
    let further = application::unconverted(call.cx(), &document).await.unwrap_or_default();
    further.iter().for_each(|issue| odd.push(issue.clone()));
    B::of(document, links).warned(odd)
}

/// Documents of one kind, each with its links.
pub(super) async fn with_links<B: DocumentBody>(
    store: &dyn Store,
    scope: &Scope,
    documents: Vec<Document>,
) -> Result<Vec<B>, ApiError> {
    let ids: Vec<DocumentId> = documents.iter().map(|document| document.id).collect();
    let mut views = application::relations_of(store, scope, &ids).await?;
    let mut bodies = Vec::with_capacity(documents.len());
    for document in documents {
        let own = views.extract_if(.., |view| view.viewed_from == document.id);
        let own = own.map(Convert::convert).collect();
        bodies.push(B::of(document, own));
    }
    Ok(bodies)
}

/// Declares a kind's body: `[Body as Kind of Line] { own fields } groups of fields`. A field's
/// value is made of the document: `field: Type = |document| value,`.
macro_rules! document_answer {
    ($head:tt { $($own:tt)* } settled $($group:ident)*) => {
        document_answer! {
            $head {
                $($own)*
                /// Payments and settlements that count.
                #[schema(schema_with = number)]
                total_paid: Decimal = |document| document.amounts.total_paid.clone(),
                /// What is left to pay.
                #[schema(schema_with = number)]
                total_due: Decimal = |document| document.total_due(),
                /// Whether it is issued and nothing is left to pay.
                paid_in_full: bool = |document| document.paid_in_full(),
                /// What FURS knows of it; null where it is not told.
                #[schema(required = true)]
                furs: Option<FursFiscalizationBody> =
                    |document| FursFiscalizationBody::of(document),
                /// What the authority of Croatia knows of it; null where it is not told.
                #[schema(required = true)]
                fina: Option<FinaFiscalizationBody> =
                    |document| FinaFiscalizationBody::of(document),
            }
            $($group)*
        }
    };
    ($head:tt { $($own:tt)* } exchanged $($group:ident)*) => {
        document_answer! {
            $head {
                $($own)*
                /// Its check for XRechnung; null where there is none.
                #[schema(required = true)]
                xrechnung: Option<ValidationBody> =
                    |document| ValidationBody::of(document, EInvoiceForm::XRechnung),
                /// Its check for ZUGFeRD; null where there is none.
                #[schema(required = true)]
                zugferd: Option<ValidationBody> =
                    |document| ValidationBody::of(document, EInvoiceForm::Zugferd),
                /// Its check for UJP; null where there is none.
                #[schema(required = true)]
                ujp: Option<ValidationBody> =
                    |document| ValidationBody::of(document, EInvoiceForm::Ujp),
            }
            $($group)*
        }
    };
    (
        [$(#[$doc:meta])* $body:ident as $name:ident of $line:ident] {
            $($(#[$field_doc:meta])* $field:ident: $kind:ty = |$document:ident| $value:expr,)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Serialize, ToSchema)]
        #[schema(as = $name)]
        pub struct $body {
            id: String,
            /// The number as written; a placeholder that begins with `draft-` for drafts.
            number: String,
            is_draft: bool,
            /// Midnight UTC.
            date: String,
            issuer: PartyBody,
            #[schema(required = true)]
            business_unit_id: Option<String>,
            #[schema(required = true)]
            business_unit: Option<UnitBody>,
            #[schema(required = true)]
            customer_id: Option<String>,
            #[schema(required = true)]
            customer: Option<PartyBody>,
            #[schema(required = true)]
            note: Option<String>,
            #[schema(required = true)]
            payment_terms: Option<String>,
            #[schema(required = true)]
            tax_clause: Option<String>,
            #[schema(required = true)]
            footer: Option<String>,
            #[schema(required = true)]
            signature: Option<String>,
            translations: TranslationsBody,
            /// Before tax.
            #[schema(schema_with = number)]
            total: Decimal,
            /// With tax.
            #[schema(schema_with = number)]
            total_with_tax: Decimal,
            /// Discounts, before tax.
            #[schema(schema_with = number)]
            total_discount: Decimal,
            creation_source: CreationSourceBody,
            calculation_mode: CalculationModeBody,
            taxes: Vec<SummaryTaxBody>,
            currency_code: String,
            entity_id: String,
            date_year: i32,
            #[schema(required = true)]
            shareable_id: Option<String>,
            #[schema(required = true)]
            voided_at: Option<String>,
            #[schema(required = true)]
            transaction_type: Option<TransactionTypeBody>,
            metadata: BTreeMap<String, String>,
            #[schema(required = true)]
            exchange_rate: Option<ExchangeRateBody>,
            #[schema(schema_with = nullable_number, required = true)]
            total_converted: Option<Decimal>,
            #[schema(schema_with = nullable_number, required = true)]
            total_with_tax_converted: Option<Decimal>,
            /// Expected less calculated total; null unless a total was expected.
            #[schema(schema_with = nullable_number, required = true)]
            rounding_correction: Option<Decimal>,
            /// Its check for e-SLOG; null where there is none.
            #[schema(required = true)]
            eslog: Option<ValidationBody>,
            #[schema(required = true)]
            reference: Option<String>,
            #[schema(required = true)]
            vies: Option<DocumentViesBody>,
            #[schema(required = true)]
            deleted_at: Option<String>,
            created_at: String,
            updated_at: String,
            /// Midnight UTC.
            #[schema(required = true)]
            date_due: Option<String>,
            /// `YYYY-MM-DD`.
            #[schema(required = true)]
            date_service: Option<String>,
            /// `YYYY-MM-DD`.
            #[schema(required = true)]
            date_service_to: Option<String>,
            items: Vec<$line>,
            /// What it has by being certified in Portugal; null elsewhere, and of drafts.
            #[schema(required = true)]
            pt: Option<PtBody>,
            /// Links to other documents. Lists answer them only with `include=document_relations`.
            document_relations: Vec<RelationBody>,
            /// What is odd about it: numbers that cannot be, rates that the country does not have.
            warnings: Vec<WarningBody>,
            $($(#[$field_doc])* $field: $kind,)*
        }

        impl DocumentBody for $body {
            const KIND: DocumentKind = DocumentKind::$name;
            const NAME: &'static str = stringify!($name);

            fn warned(mut self, more: Issues) -> Self {
                self.warnings.extend(more.convert());
                self
            }

            fn of(document: Document, document_relations: Vec<RelationBody>) -> Self {
                $(let $field: $kind = { let $document = &document; $value };)*
                let (number, is_draft) = (document.number(), document.is_draft());
                let mut warnings: Vec<WarningBody> = document.warnings().convert();
                warnings.extend::<Vec<WarningBody>>(einvoicing::warnings(&document).convert());
                let pt = PtBody::of(&document);
                let eslog = ValidationBody::of(&document, EInvoiceForm::Eslog);
                let voided_at = document.voided_at().convert();
                let (created_at, updated_at) =
                    (format_instant(document.created_at), format_instant(document.updated_at));
                let (content, amounts) = (document.content, document.amounts);
                let lines = content.lines.into_iter();
                let line = |line| $line::of(line, document.id, &created_at, &updated_at);
            let items = lines.map(line).collect();
                Self {
                    id: document.id.to_string(),
                    number,
                    is_draft,
                    date: format_midnight(content.date),
                    issuer: content.issuer.convert(),
                    business_unit_id: content.business_unit_id.convert(),
                    business_unit: content.business_unit.convert(),
                    customer_id: content.customer_id.convert(),
                    customer: content.customer.convert(),
                    note: content.texts.note,
                    payment_terms: content.texts.payment_terms,
                    tax_clause: content.texts.tax_clause,
                    footer: content.texts.footer,
                    signature: content.texts.signature,
                    translations: content.translations.convert(),
                    total: amounts.total,
                    total_with_tax: amounts.total_with_tax,
                    total_discount: amounts.total_discount,
                    creation_source: document.source.convert(),
                    calculation_mode: document.mode.convert(),
                    taxes: amounts.taxes.convert(),
                    currency_code: content.currency.to_string(),
                    entity_id: document.entity_id.to_string(),
                    date_year: content.date.year(),
                    shareable_id: document.shareable_id,
                    voided_at,
                    transaction_type: Some(content.transaction_type.convert()),
                    metadata: content.metadata.convert(),
                    exchange_rate: content.exchange_rate.convert(),
                    total_converted: amounts.total_converted,
                    total_with_tax_converted: amounts.total_with_tax_converted,
                    rounding_correction: amounts.rounding_correction,
                    eslog,
                    reference: content.reference,
                    vies: content.vies.convert(),
                    deleted_at: document.deleted_at.convert(),
                    created_at,
                    updated_at,
                    date_due: content.date_due.map(format_midnight),
                    date_service: content.date_service.map(format_date),
                    date_service_to: content.date_service_to.map(format_date),
                    items,
                    pt,
                    document_relations,
                    warnings,
                    $($field,)*
                }
            }
        }
    };
}

document_answer! {
    [
        /// An invoice.
        InvoiceBody as Invoice of InvoiceItemBody
    ] {
        /// The advance invoices that pay of it, with the tax that each bore.
        advances_applied: Vec<AppliedAdvanceBody> =
            |document| document.advances_applied.clone().convert(),
        /// The tabs of the point of sale that it closed, or closed a part of.
        pos_tabs: Vec<String> =
            |document| document.pos_tabs.iter().map(|tab| tab.tab_id.to_string()).collect(),
    } settled exchanged
}

document_answer! {
    [
        /// An estimate.
        EstimateBody as Estimate of EstimateItemBody
    ] {
        /// Last day on which it is valid: midnight UTC.
        #[schema(required = true)]
        date_valid_till: Option<String> =
            |document| document.content.date_valid_till.map(format_midnight),
        /// What it calls itself.
        title_type: TitleTypeBody = |document| document.content.title_type.convert(),
        /// When the customer accepted it.
        #[schema(required = true)]
        accepted_at: Option<String> = |document| document.accepted_at().convert(),
        /// When the customer rejected it.
        #[schema(required = true)]
        rejected_at: Option<String> = |document| document.rejected_at().convert(),
    }
}

document_answer! {
    [
        /// A credit note. Its values are positive.
        CreditNoteBody as CreditNote of CreditNoteItemBody
    ] {} settled exchanged
}

document_answer! {
    [
        /// An advance invoice.
        AdvanceInvoiceBody as AdvanceInvoice of AdvanceInvoiceItemBody
    ] {
        /// Its check for ZUGFeRD; null where there is none.
        #[schema(required = true)]
        zugferd: Option<ValidationBody> =
            |document| ValidationBody::of(document, EInvoiceForm::Zugferd),
    } settled
}

document_answer! {
    [
        /// A delivery note.
        DeliveryNoteBody as DeliveryNote of DeliveryNoteItemBody
    ] {
        /// Whether it shows no prices.
        hide_prices: bool = |document| document.content.hide_prices,
    }
}

/// A document of any kind. The beginning of its `id` says which (`inv_`, `est_`, `cre_`, `adv_`,
/// `del_`), and its lines name it (`invoice_id`, …). No property has the kind as its value, so this
/// choice has no discriminator.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = Document)]
pub enum AnyDocumentBody {
    /// An invoice.
    Invoice(InvoiceBody),
    /// An estimate.
    Estimate(EstimateBody),
    /// A credit note.
    CreditNote(CreditNoteBody),
    /// An advance invoice.
    AdvanceInvoice(AdvanceInvoiceBody),
    /// A delivery note.
    DeliveryNote(DeliveryNoteBody),
}

impl AnyDocumentBody {
    /// `document` and its links.
    pub(crate) fn of(document: Document, relations: Vec<RelationBody>) -> Self {
        match document.id.kind() {
            DocumentKind::Invoice => Self::Invoice(InvoiceBody::of(document, relations)),
            DocumentKind::Estimate => Self::Estimate(EstimateBody::of(document, relations)),
            DocumentKind::CreditNote => Self::CreditNote(CreditNoteBody::of(document, relations)),
            DocumentKind::AdvanceInvoice => {
                Self::AdvanceInvoice(AdvanceInvoiceBody::of(document, relations))
            }
            DocumentKind::DeliveryNote => {
                Self::DeliveryNote(DeliveryNoteBody::of(document, relations))
            }
        }
    }
}
