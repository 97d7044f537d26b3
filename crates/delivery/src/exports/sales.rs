//! Lines of documents, by item and by category: invoices less credit notes.

use std::collections::BTreeMap;

use racun_access::Entity;
use racun_catalog::{FINANCIAL_CATEGORIES, FinancialCategory};
use racun_documents::{Document, DocumentId, Line, LineKind};
use racun_exports::ColumnKind::{Amount, Number, Text, Whole};
use racun_exports::{Cell, Sheet, SheetWriter};
use racun_kernel::Decimal;
use racun_kernel::id::{FinancialCategoryId, ItemId};
use racun_store::{Context, StoreError, Walk};

use super::documents::signed;
use super::{ExportError, ExportPlan, for_each_page, is_counted};

/// Different items, or categories and months, that one export has: they are in memory together.
const MAX_GROUPS: usize = 50_000;

/// A line, as far as it is summed.
struct Sale<'a> {
    document: &'a Document,
    line: &'a Line,
    currency: &'static str,
    net: Decimal,
    gross: Decimal,
}

/// What lines of one group come to.
struct Group<N> {
    name: N,
    quantity: Decimal,
    net: Decimal,
    gross: Decimal,
    documents: i64,
    last: Option<DocumentId>,
}

impl<N> Group<N> {
    fn new(name: N) -> Self {
        let zero = Decimal::zero;
        Self { name, quantity: zero(), net: zero(), gross: zero(), documents: 0, last: None }
    }

    fn add(&mut self, sale: &Sale<'_>) {
        let id = sale.document.id;
        self.quantity += &signed(id.kind(), &sale.line.quantity);
        self.net += &sale.net;
        self.gross += &sale.gross;
        if self.last.replace(id) != Some(id) {
            self.documents += 1;
        }
    }
}

/// Gives every line of what is in sums to `each`: in the entity's currency, where it is known.
async fn for_each_sale(
    cx: Context<'_>,
    entity: &Entity,
    plan: &ExportPlan,
    mut each: impl FnMut(&Sale<'_>) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    for source in &plan.sources {
        let page = |page: Vec<Document>| {
            for document in page.iter().filter(|document| is_counted(document)) {
                let lines = document.content.lines.iter();
                for line in lines.filter(|line| line.kind != Some(LineKind::Separator)) {
                    each(&sale(document, line, entity))?;
                }
            }
            Ok(())
        };
        for_each_page(cx, source, page).await?;
    }
    Ok(())
}

fn sale<'a>(document: &'a Document, line: &'a Line, entity: &Entity) -> Sale<'a> {
    let kind = document.id.kind();
    let converted = line.total_converted.as_ref().zip(line.total_with_tax_converted.as_ref());
    let (currency, (net, gross)) = match converted {
        Some(converted) => (entity.currency.code(), converted),
        None => (document.content.currency.code(), (&line.total, &line.total_with_tax)),
    };
    Sale { document, line, currency, net: signed(kind, net), gross: signed(kind, gross) }
}

fn group<K: Ord, N>(
    groups: &mut BTreeMap<K, Group<N>>,
    key: K,
    name: impl FnOnce() -> N,
    sale: &Sale<'_>,
) -> Result<(), ExportError> {
    if groups.len() >= MAX_GROUPS && !groups.contains_key(&key) {
        return Err(StoreError::TooExpensive.into());
    }
    groups.entry(key).or_insert_with(|| Group::new(name())).add(sale);
    Ok(())
}

/// An item of the catalogue, or what a line without one is called.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Sold {
    Item(ItemId),
    Named(String),
}

pub(super) async fn write_items(
    cx: Context<'_>,
    entity: &Entity,
    plan: &ExportPlan,
    locale: &str,
    to: &mut dyn SheetWriter,
) -> Result<(), ExportError> {
    let mut groups = BTreeMap::new();
    let each = |sale: &Sale<'_>| {
        let line = sale.line;
        let sold = line.item_id.map_or_else(|| Sold::Named(line.name.clone()), Sold::Item);
        let key = (sold, line.unit.clone(), sale.currency);
        group(&mut groups, key, || line.name.clone(), sale)
    };
    for_each_sale(cx, entity, plan, each).await?;
    let columns = [
        ("item", Text),
        ("unit", Text),
        ("quantity", Number),
        ("currency", Text),
        ("net", Amount),
        ("tax", Amount),
        ("gross", Amount),
        ("documents", Whole),
        ("id", Text),
    ];
    to.begin(&Sheet::new("sales_per_item", locale).with(locale, &columns))?;
    let mut rows: Vec<_> = groups.into_iter().collect();
    rows.sort_by(|(_, one), (_, other)| one.name.cmp(&other.name));
    for ((sold, unit, currency), group) in rows {
        let id = match sold {
            Sold::Item(id) => Cell::from(id.to_string()),
            Sold::Named(_) => Cell::Empty,
        };
        let tax = &group.gross - &group.net;
        let name = Cell::from(group.name);
        let amounts = [group.net, tax, group.gross].map(Cell::from);
        let mut cells = vec![name, unit.into(), group.quantity.into(), currency.into()];
        cells.extend(amounts);
        cells.extend([group.documents.into(), id]);
        to.row(&cells)?;
    }
    Ok(())
}

pub(super) async fn write_categories(
    cx: Context<'_>,
    entity: &Entity,
    plan: &ExportPlan,
    locale: &str,
    to: &mut dyn SheetWriter,
) -> Result<(), ExportError> {
    let names = categories(cx).await?;
    let mut groups = BTreeMap::new();
    let each = |sale: &Sale<'_>| {
        let date = sale.document.content.date;
        let month = (date.year(), u8::from(date.month()));
        let key = (month, sale.line.financial_category_id, sale.currency);
        group(&mut groups, key, || (), sale)
    };
    for_each_sale(cx, entity, plan, each).await?;
    let columns = [
        ("month", Text),
        ("category", Text),
        ("currency", Text),
        ("net", Amount),
        ("tax", Amount),
        ("gross", Amount),
        ("documents", Whole),
        ("id", Text),
    ];
    to.begin(&Sheet::new("revenue_by_category", locale).with(locale, &columns))?;
    for (((year, month), category, currency), group) in groups {
        let name = category.and_then(|id| names.get(&id));
        let tax = &group.gross - &group.net;
        to.row(&[
            format!("{year:04}-{month:02}").into(),
            name.into(),
            currency.into(),
            group.net.into(),
            tax.into(),
            group.gross.into(),
            group.documents.into(),
            category.map(|id| id.to_string()).into(),
        ])?;
    }
    Ok(())
}

async fn categories(cx: Context<'_>) -> Result<BTreeMap<FinancialCategoryId, String>, ExportError> {
    let mut walk = Walk::of(&FINANCIAL_CATEGORIES, cx.tenant());
    let mut names = BTreeMap::new();
    while let Some(page) = walk.next::<FinancialCategory>(cx.store).await? {
        names.extend(page.into_iter().map(|category| (category.id, category.name)));
    }
    Ok(names)
}
