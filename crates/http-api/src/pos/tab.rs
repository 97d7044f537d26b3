//! Bodies of tabs and their lines.

use std::collections::BTreeMap;

use racun_kernel::{Decimal, Patch};
use racun_pos::{self as pos, Tab, TabState};
use racun_sales::documents::Newest;
use racun_till::TabView;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use crate::body::{Convert, names};
use crate::schema::{nullable_number, number};
use crate::warning::WarningBody;

names! {
    /// Where a tab stands: it can be ordered on, a device takes the payment, it ended in an
    /// invoice, or it came to nothing.
    TabStatusBody as PosTabStatus of pos::TabStatus { Open, Issuing, Issued, Cancelled }
}

/// A tax on a line.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PosTabTax)]
pub struct TabTaxBody {
    /// The catalogue's tax; null for a bare rate.
    #[schema(required = true)]
    tax_id: Option<String>,
    /// Percent.
    #[schema(schema_with = number)]
    rate: Decimal,
}

impl Convert<TabTaxBody> for pos::TabTax {
    fn convert(self) -> TabTaxBody {
        TabTaxBody { tax_id: self.tax_id.convert(), rate: self.rate }
    }
}

/// Something that was ordered.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PosTabLine)]
pub struct TabLineBody {
    /// Its id.
    line_id: String,
    /// The catalogue's item; null for a line with a name and a price of its own.
    #[schema(required = true)]
    item_id: Option<String>,
    /// Its name.
    name: String,
    /// How many.
    #[schema(schema_with = number)]
    quantity: Decimal,
    /// What one costs with tax, in the entity's currency.
    #[schema(schema_with = number)]
    unit_gross_price: Decimal,
    /// Percent off.
    #[schema(schema_with = nullable_number)]
    discount_percent: Option<Decimal>,
    /// The taxes on it: none when empty; when null those of its item, or without an item the
    /// entity's default tax.
    #[schema(required = true)]
    tax_rates: Option<Vec<TabTaxBody>>,
    /// What the guest wants.
    #[schema(required = true)]
    note: Option<String>,
    /// Who ordered it first; null when a program did.
    #[schema(required = true)]
    added_by_user_id: Option<String>,
    /// When it was ordered first.
    added_at: String,
}

impl Convert<TabLineBody> for pos::TabLine {
    fn convert(self) -> TabLineBody {
        TabLineBody {
            line_id: self.line_id.to_string(),
            item_id: self.item_id.convert(),
            name: self.name,
            quantity: self.quantity,
            unit_gross_price: self.unit_gross_price,
            discount_percent: self.discount_percent,
            tax_rates: self.tax_rates.convert(),
            note: self.note,
            added_by_user_id: self.added_by_user_id.convert(),
            added_at: self.added_at.convert(),
        }
    }
}

/// What a tab comes to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PosTabTotals)]
pub struct TabTotalsBody {
    /// Before tax.
    #[schema(schema_with = number)]
    net: Decimal,
    /// All taxes.
    #[schema(schema_with = number)]
    tax: Decimal,
    /// With tax: what the guest pays.
    #[schema(schema_with = number)]
    gross: Decimal,
    /// What discounts take off, before tax.
    #[schema(schema_with = number)]
    discount: Decimal,
}

/// What is taxed at one rate.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PosTabTaxTotal)]
pub struct TabTaxTotalBody {
    /// Percent.
    #[schema(schema_with = number)]
    rate: Decimal,
    /// Before tax.
    #[schema(schema_with = number)]
    base: Decimal,
    /// The tax on it.
    #[schema(schema_with = number)]
    amount: Decimal,
}

impl Convert<TabTaxTotalBody> for pos::TabTaxTotal {
    fn convert(self) -> TabTaxTotalBody {
        TabTaxTotalBody { rate: self.rate, base: self.base, amount: self.amount }
    }
}

/// An invoice of a tab, or of a part of it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PosTabInvoice)]
pub struct TabInvoicedBody {
    /// The invoice.
    invoice_id: String,
    /// What of the tab it is for, with tax; null when that could not be calculated.
    #[schema(schema_with = nullable_number, required = true)]
    gross: Option<Decimal>,
    /// Which of the equal shares it is for; null when it is for none.
    #[schema(required = true)]
    share: Option<u32>,
    /// When.
    issued_at: String,
}

impl Convert<TabInvoicedBody> for pos::TabInvoice {
    fn convert(self) -> TabInvoicedBody {
        TabInvoicedBody {
            invoice_id: self.invoice_id.to_string(),
            gross: self.gross,
            share: self.share,
            issued_at: self.at.convert(),
        }
    }
}

/// The equal shares in which a tab is invoiced.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PosTabShares)]
pub struct TabSharesBody {
    /// How many there are.
    of: u32,
    /// Those that are invoiced, in the order in which they were.
    invoiced: Vec<u32>,
}

/// A tab: a running order. It is no document, has no number and holds no payments.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PosTab)]
pub struct TabBody {
    /// Its id.
    id: String,
    /// Whose tab.
    entity_id: String,
    /// The table that it is for.
    #[schema(required = true)]
    table_id: Option<String>,
    /// Where it stands.
    status: TabStatusBody,
    /// What was ordered.
    items: Vec<TabLineBody>,
    /// Staff's note.
    #[schema(required = true)]
    note: Option<String>,
    /// The customer.
    #[schema(required = true)]
    customer_id: Option<String>,
    /// Who opened it; null when a program did.
    #[schema(required = true)]
    opened_by_user_id: Option<String>,
    /// Who changed it last; null when a program did.
    #[schema(required = true)]
    updated_by_user_id: Option<String>,
    /// The device that takes the payment.
    #[schema(required = true)]
    claimed_by_device: Option<String>,
    /// Since when; five minutes later anyone may clear the claim.
    #[schema(required = true)]
    claimed_at: Option<String>,
    /// The invoice that it ended in.
    #[schema(required = true)]
    invoice_id: Option<String>,
    /// All its invoices; more than one when it was split.
    invoices: Vec<TabInvoicedBody>,
    /// Once an equal share of it is invoiced; null before.
    #[schema(required = true)]
    shares: Option<TabSharesBody>,
    /// By what the invoice that it was closed with comes to more than all tabs closed with it up to
    /// this one: 0 when they agree. Null when the invoice was made of the tab.
    #[schema(schema_with = nullable_number, required = true)]
    invoice_difference: Option<Decimal>,
    /// What the lines come to: at the tab's end, else on an invoice of today. Null when such an
    /// invoice would be refused.
    #[schema(required = true)]
    totals: Option<TabTotalsBody>,
    /// The taxes in `totals`, by rate.
    taxes: Vec<TabTaxTotalBody>,
    /// 1 when it is opened, and one more with each change.
    version: i64,
    /// When it was opened.
    opened_at: String,
    /// When it ended in an invoice.
    #[schema(required = true)]
    issued_at: Option<String>,
    /// What the caller attached.
    metadata: BTreeMap<String, String>,
    /// When it was cancelled.
    #[schema(required = true)]
    deleted_at: Option<String>,
    /// When it was opened.
    created_at: String,
    /// When it changed last.
    updated_at: String,
    /// What is odd about its lines: a rate of tax that the country has not.
    warnings: Vec<WarningBody>,
}

impl TabBody {
    /// The body of `tab`, which comes to `totals`: each state's own fields, and null for those of
    /// the others.
    pub(crate) fn of(tab: Tab, totals: Option<pos::TabTotals>) -> Self {
        let taxes = totals.as_ref().map(|totals| totals.taxes.clone()).unwrap_or_default();
        let (status, invoiced) = (tab.status().convert(), tab.invoiced_shares().collect());
        let mut body = Self {
            invoices: tab.invoices.convert(),
            shares: tab.shares.map(|of| TabSharesBody { of, invoiced }),
            invoice_difference: None,
            totals: totals.map(|totals| TabTotalsBody {
                net: totals.net,
                tax: totals.tax,
                gross: totals.gross,
                discount: totals.discount,
            }),
            taxes: taxes.convert(),
            id: tab.id.to_string(),
            entity_id: tab.entity_id.to_string(),
            table_id: tab.table_id.convert(),
            status,
            items: tab.lines.convert(),
            note: tab.note,
            customer_id: tab.customer_id.convert(),
            opened_by_user_id: tab.opened_by_user_id.convert(),
            updated_by_user_id: tab.updated_by_user_id.convert(),
            claimed_by_device: None,
            claimed_at: None,
            invoice_id: None,
            version: tab.version,
            opened_at: tab.created_at.convert(),
            issued_at: None,
            metadata: tab.metadata.convert(),
            deleted_at: None,
            created_at: tab.created_at.convert(),
            updated_at: tab.updated_at.convert(),
            warnings: Vec::new(),
        };
        match tab.state {
            TabState::Open => {}
            TabState::Issuing(claim) => {
                body.claimed_by_device = Some(claim.device.as_str().to_owned());
                body.claimed_at = Some(claim.claimed_at.convert());
            }
            TabState::Issued { invoice_id, issued_at, invoice_difference, .. } => {
                body.invoice_id = Some(invoice_id.to_string());
                body.issued_at = Some(issued_at.convert());
                body.invoice_difference = invoice_difference;
            }
            TabState::Cancelled { cancelled_at } => body.deleted_at = Some(cancelled_at.convert()),
        }
        body
    }
}

/// The tabs in some states, in the order in which they were opened.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PosTabList)]
pub struct TabsBody {
    /// The tabs.
    data: Vec<TabBody>,
    /// Whether there are older ones, for which there was no room.
    has_more: bool,
}

impl TabsBody {
    pub(super) fn of(tabs: Newest<TabView>) -> Self {
        let oldest_first = tabs.rows.into_iter().rev();
        Self { data: oldest_first.map(Convert::convert).collect(), has_more: tabs.has_more }
    }
}

impl Convert<TabBody> for TabView {
    fn convert(self) -> TabBody {
        let warnings = self.warnings.convert();
        TabBody { warnings, ..TabBody::of(self.tab, self.totals) }
    }
}

/// A tab to open.
#[derive(Debug, Default, Deserialize, ToSchema, Validate)]
#[schema(as = OpenPosTab)]
pub struct OpenTabBody {
    /// An active table.
    pub table_id: Option<String>,
}

/// A tax on a line.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = PosTabTaxInput)]
pub struct TabTaxInputBody {
    /// A tax of the entity.
    tax_id: Option<String>,
    /// Percent, 0 to 100; needed.
    #[schema(schema_with = number)]
    rate: Option<Decimal>,
}

impl Convert<pos::TaxInput> for TabTaxInputBody {
    fn convert(self) -> pos::TaxInput {
        pos::TaxInput { tax_id: self.tax_id, rate: self.rate }
    }
}

/// A line to order.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = PosTabLineInput)]
pub struct TabLineInputBody {
    /// In a replacement: the line that this one replaces. Ignored when lines are added.
    line_id: Option<String>,
    /// As answered, so that a line can be sent back as it was read; who ordered it first stays.
    #[expect(dead_code, reason = "the line's own stays")]
    added_by_user_id: Option<String>,
    /// As answered; when it was ordered first stays.
    #[expect(dead_code, reason = "the line's own stays")]
    added_at: Option<String>,
    /// The catalogue's item. A line without one needs name and price of its own.
    item_id: Option<String>,
    /// Its name; that of the line it replaces, or of the item, when absent.
    name: Option<String>,
    /// How many, above zero; 1 when absent.
    #[schema(schema_with = nullable_number)]
    quantity: Option<Decimal>,
    /// What one costs with tax; as `name` when absent.
    #[schema(schema_with = nullable_number)]
    unit_gross_price: Option<Decimal>,
    /// Percent off, 0 to 100.
    #[schema(schema_with = nullable_number)]
    discount_percent: Option<Decimal>,
    /// The taxes on it, instead of those of the item or of the entity's default tax; none at all
    /// when empty.
    tax_rates: Option<Vec<TabTaxInputBody>>,
    /// What the guest wants; at most 500 characters.
    note: Option<String>,
}

impl Convert<pos::LineInput> for TabLineInputBody {
    fn convert(self) -> pos::LineInput {
        pos::LineInput {
            line_id: self.line_id,
            item_id: self.item_id,
            name: self.name,
            quantity: self.quantity,
            unit_gross_price: self.unit_gross_price,
            discount_percent: self.discount_percent,
            tax_rates: self.tax_rates.convert(),
            note: self.note,
        }
    }
}

/// Lines to add to a tab.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = AppendPosTabItems)]
pub struct AppendBody {
    /// At least one. Quantities of the same item at the same price, with the same discount, taxes
    /// and note, add up.
    pub items: Vec<TabLineInputBody>,
    /// Names this addition, in 1 to 64 characters: sent again under the same name, it adds nothing.
    pub append_id: Option<String>,
}

/// What to replace of a tab.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = UpdatePosTab)]
pub struct TabPatchBody {
    /// The version that the caller saw last.
    expected_version: i64,
    /// All lines; those that name a `line_id` of the tab stay that line.
    #[schema(value_type = Option<Vec<TabLineInputBody>>)]
    #[serde(default)]
    items: Patch<Vec<TabLineInputBody>>,
    /// Staff's note; at most 10,000 characters.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    note: Patch<String>,
    /// A customer.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    customer_id: Patch<String>,
    /// An active table.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    table_id: Patch<String>,
    /// Up to 50 properties of at most 250 characters; replace all there were.
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    #[serde(default)]
    metadata: Patch<BTreeMap<String, String>>,
}

impl Convert<pos::TabPatch> for TabPatchBody {
    fn convert(self) -> pos::TabPatch {
        pos::TabPatch {
            expected_version: self.expected_version,
            items: self.items.convert(),
            note: self.note,
            customer_id: self.customer_id,
            table_id: self.table_id,
            metadata: self.metadata,
        }
    }
}

/// The device that takes or gives back the payment of a tab.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = PosDevice)]
pub struct DeviceBody {
    /// The name that the device keeps; 1 to 100 characters.
    pub device_id: String,
}

/// The invoice that a tab ended in.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = ClosePosTab)]
pub struct CloseBody {
    /// An issued invoice.
    pub invoice_id: String,
}
