//! Lines priced as an invoice of today prices them, and the invoice that is made of them.
//!
//! What is priced is drafted like any invoice, so what a tab comes to and what its invoice comes to
//! cannot differ.

use racun_access::Entity;
use racun_catalog::Customer;
use racun_documents::calculation::CalculationMode;
use racun_documents::{Document, DocumentError, DocumentKind, InvoicedTab};
use racun_fiscalization::Ports;
use racun_kernel::Stamp;
use racun_store::Actor;

use super::create::{Beside, Creation, Order, Origin, drafted};
use super::gather::{ResolvedReferences, today};
use super::line_records::LineRecords;
use super::lines::LineRequest;
use super::request::DocumentRequest;
use crate::error::Error;

/// What invoices are made with: one look-up for many orders.
pub struct Pricing(ResolvedReferences);

impl Pricing {
    /// The pricing of `entity`'s lines, of which `records` hold what they name.
    pub fn new(entity: &Entity, records: LineRecords, stamp: &Stamp) -> Self {
        let today = today(entity, stamp);
        let (entity, customer, unit) = (entity.clone(), None, None);
        // A till sells in its entity's currency.
        let (finding, rate) = (None, None);
        Self(ResolvedReferences { entity, today, customer, unit, records, finding, rate })
    }

    /// What the lines name.
    pub const fn records(&self) -> &LineRecords {
        &self.0.records
    }

    /// The entity's local day.
    pub const fn today(&self) -> time::Date {
        self.0.today
    }

    /// The same pricing for `customer`.
    pub fn sell_to(&mut self, customer: Option<Customer>) {
        self.0.customer = customer;
    }

    /// The invoice of `lines`, otherwise as `request` says, without making it.
    ///
    /// # Errors
    /// What such an invoice is refused for.
    pub fn price(
        &self,
        actor: &Actor,
        request: &DocumentRequest,
        lines: Vec<LineRequest>,
    ) -> Result<Document, DocumentError> {
        let request = sale(request, lines);
        let origin = Origin::Request(None);
        let (kind, make) = (DocumentKind::Invoice, Document::priced);
        drafted(actor, kind, &request, &self.0, origin, make).map(|(document, _)| document)
    }

    /// Makes the invoice of `tabs`, and writes what is decided beside it in the same commit.
    ///
    /// # Errors
    /// As [`super::create`], and what `sale.beside` refuses. Nothing is then written.
    pub async fn issue(&self, ports: Ports<'_>, invoice: TabSale<'_>) -> Result<Document, Error> {
        let TabSale { request, lines, creation, tabs, beside } = invoice;
        let request = sale(request, lines);
        let order = Order { kind: DocumentKind::Invoice, request, creation, tabs, beside };
        Box::pin(order.carry_out(ports, self.0.clone())).await
    }
}

/// An invoice of tabs.
pub struct TabSale<'a> {
    /// What it says, but for its lines.
    pub request: &'a DocumentRequest,
    /// Its lines.
    pub lines: Vec<LineRequest>,
    /// Payments, and the fiscalization request.
    pub creation: Creation,
    /// The tabs.
    pub tabs: Vec<InvoicedTab>,
    /// What becomes of them.
    pub beside: Beside,
}

/// `request` for `lines` over the counter: prices are gross, and so are discounts.
fn sale(request: &DocumentRequest, lines: Vec<LineRequest>) -> DocumentRequest {
    DocumentRequest {
        items: Some(lines),
        calculation_mode: Some(CalculationMode::B2cGrossDiscount),
        ..request.clone()
    }
}
