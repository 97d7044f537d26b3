//! Tabs of the point of sale that an invoice is for.

use racun_kernel::id::PosTabId;
use racun_kernel::{Decimal, Stamp};
use serde::{Deserialize, Serialize};

use super::Document;

/// A tab that an invoice closed, or closed a part of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvoicedTab {
    /// The tab.
    pub tab_id: PosTabId,
    /// What of it the invoice is for, with tax; missing when that could not be calculated.
    pub gross: Option<Decimal>,
}

impl Document {
    /// The draft as made of `tabs`.
    #[must_use]
    pub fn of_tabs(self, tabs: Vec<InvoicedTab>) -> Self {
        Self { pos_tabs: tabs, ..self }
    }

    /// The issued invoice with one more tab that it closed. What it says stays.
    #[must_use]
    pub fn closing_tab(mut self, tab: InvoicedTab, stamp: &Stamp) -> Self {
        self.pos_tabs.push(tab);
        self.updated_at = stamp.now();
        self
    }

    /// What the tabs come to that it closed.
    #[must_use]
    pub fn tabs_gross(&self) -> Decimal {
        self.pos_tabs.iter().filter_map(|tab| tab.gross.as_ref()).sum()
    }
}
