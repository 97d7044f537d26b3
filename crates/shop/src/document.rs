//! What a document of an order says.

use std::collections::BTreeMap;

use racun_documents::calculation::{Discount, DiscountKind};
use racun_documents::{CreationSource, PartyPatch};
use racun_fiscal::{BusinessPremise, Device, FISCAL_DEVICES, FISCAL_PREMISES};
use racun_fiscalization::{FinaRequest, FiscalRequest, FursRequest};
use racun_kernel::{Authority, Metadata, Patch};
use racun_orders::{Integration, ItemKind, Order, OrderItem};
use racun_sales::documents::{
    Creation, CustomerRequest, DocumentRequest, LineRequest, LineTaxRequest,
};
use racun_settlement::NewPayment;
use racun_store::Context;

use crate::error::ShopError;

/// The property of a document that names its order.
pub const ORDER: &str = "order_id";
/// The one that names the order at its source.
const SOURCE: &str = "order_source_id";
/// The one of a line that has the shop's number of the item.
const SKU: &str = "sku";

/// The document of `order`: lines as the shop priced them, for the buyer, in the order's currency.
/// Its total has to be the order's.
pub fn request(order: &Order, integration: &Integration) -> DocumentRequest {
    let content = &order.content;
    let named = [(ORDER, order.id.to_string()), (SOURCE, order.source_id.clone())];
    DocumentRequest {
        customer: Patch::from(customer(order)),
        finds_customer_by_email: true,
        business_unit_id: match &integration.business_unit_id {
            Some(id) => Patch::Value(id.clone()),
            None => Patch::Absent,
        },
        currency_code: Some(content.currency.code().to_owned()),
        reference: Patch::from(content.source_order_number.clone()),
        metadata: Patch::Value(metadata(named)),
        items: Some(content.items.iter().map(line).collect()),
        expected_total_with_tax: Some(content.total_with_tax.clone()),
        linked_documents: order.estimate_id.map(|id| vec![id.to_string()]),
        force_linked_documents: order.estimate_id.is_some(),
        ..DocumentRequest::default()
    }
}

/// Properties within their limits: the ids that they hold are short.
fn metadata<const N: usize>(entries: [(&str, String); N]) -> Metadata {
    let cut = |text: String| text.chars().take(Metadata::MAX_VALUE_CHARS).collect::<String>();
    let entries: BTreeMap<String, String> =
        entries.into_iter().map(|(name, value)| (name.to_owned(), cut(value))).collect();
    Metadata::new(entries).unwrap_or_default()
}

/// The buyer; a company where one buys. `None` where nothing is known of who bought.
fn customer(order: &Order) -> Option<CustomerRequest> {
    let content = &order.content;
    let buyer = content.customer.clone().unwrap_or_default();
    let company = buyer.company_name.filter(|_| buyer.is_business);
    let name = company.or_else(|| content.customer_name.clone());
    let name = name.or_else(|| content.customer_email.clone())?;
    let address = content.billing_address.clone().or_else(|| content.shipping_address.clone());
    let address = address.unwrap_or_default();
    let text = |text: Option<String>| text.map_or(Patch::Absent, Patch::Value);
    Some(CustomerRequest {
        party: PartyPatch {
            name: Patch::Value(name),
            email: text(content.customer_email.clone()),
            phone: text(buyer.phone),
            tax_number: text(buyer.tax_number),
            company_number: text(buyer.company_number),
            is_end_consumer: Patch::Value(!buyer.is_business),
            address: text(address.address),
            address_2: text(address.address_2),
            post_code: text(address.post_code),
            city: text(address.city),
            state: text(address.state),
            country: text(address.country),
            country_code: text(address.country_code),
            ..PartyPatch::default()
        },
        save_customer: Some(true),
    })
}

fn line(item: &OrderItem) -> LineRequest {
    let taxes = item.tax_rates.as_ref().map(|rates| {
        let tax = |rate: &racun_kernel::Decimal| LineTaxRequest {
            rate: Some(rate.clone()),
            ..LineTaxRequest::default()
        };
        rates.iter().map(tax).collect()
    });
    let sku = item.sku.clone().filter(|_| item.kind == ItemKind::LineItem);
    let discount = item.discount.clone().filter(racun_kernel::Decimal::is_positive);
    LineRequest {
        name: Some(item.name.clone()),
        quantity: Some(item.quantity.clone()),
        price: item.gross_price.is_none().then(|| item.price.clone()),
        gross_price: item.gross_price.clone(),
        unit: item.unit.clone(),
        taxes,
        discounts: discount
            .map(|value| Discount { value, kind: DiscountKind::Amount })
            .into_iter()
            .collect(),
        metadata: sku.map(|sku| metadata([(SKU, sku)])).unwrap_or_default(),
        ..LineRequest::default()
    }
}

/// How the document starts: with `payments`, fiscalized where the integration says.
///
/// # Errors
/// [`ShopError::PlaceGone`]; when the store fails.
pub async fn creation(
    cx: Context<'_>,
    integration: &Integration,
    payments: Vec<NewPayment>,
) -> Result<Creation, ShopError> {
    let (fiscal, source) = (place(cx, integration).await?, Some(CreationSource::Order));
    Ok(Creation { payments, fiscal, source, ..Creation::default() })
}

/// The premise and the device that the integration names.
async fn place(cx: Context<'_>, integration: &Integration) -> Result<FiscalRequest, ShopError> {
    let Some(id) = &integration.business_premise_id else { return Ok(FiscalRequest::default()) };
    let gone = |field| ShopError::PlaceGone { field };
    let premise: Option<BusinessPremise> = cx.get(&FISCAL_PREMISES, id).await?;
    let premise = premise.ok_or(gone("business_premise_id"))?;
    let device: Option<Device> = match &integration.electronic_device_id {
        Some(id) => {
            let device: Option<Device> = cx.get(&FISCAL_DEVICES, id).await?;
            let device = device.filter(|device| device.premise_id == premise.id);
            Some(device.ok_or(gone("electronic_device_id"))?)
        }
        None => None,
    };
    let (authority, premise) = (premise.authority(), Some(premise.name));
    let device = device.map(|device| device.name);
    Ok(match authority {
        Authority::Furs => FiscalRequest {
            furs: FursRequest {
                business_premise_name: premise,
                electronic_device_name: device,
                ..FursRequest::default()
            },
            ..FiscalRequest::default()
        },
        Authority::Fina => FiscalRequest {
            fina: FinaRequest {
                business_premise_name: premise,
                electronic_device_name: device,
                ..FinaRequest::default()
            },
            ..FiscalRequest::default()
        },
    })
}
