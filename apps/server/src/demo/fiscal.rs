//! Fiscalized receipts: set-up, a sale, an outage, its end, a credit note, and in Croatia a change
//! of a payment's type.

use anyhow::{Context as _, anyhow, ensure};
use racun_authority_simulator::{Fault, Running, When};
use racun_fiscal::Authority;
use reqwest::Method;
use serde_json::{Value, json};

use super::open_account_of;
use super::player::{Player, StepResult};
use super::receipt;
use crate::print;

/// Well-formed numbers of taxpayers and operators that no account uses here.
const TAX_NUMBER: &str = "10039856";
const OIB: &str = "69435151530";

/// Plays the receipts of the country whose authority this is.
///
/// # Errors
/// The first step that goes otherwise than it should, with its answer's body.
pub(super) async fn play(
    player: &mut Player,
    authority: Authority,
    simulator: Option<&Running>,
) -> anyhow::Result<()> {
    open_account_of(player, entity(authority)).await?;
    let shop = Shop { player, authority };
    shop.set_up().await?;
    let sold = shop.sell("sell for cash").await?;
    receipt::print(authority, &sold.body, None)?;
    match simulator {
        Some(simulator) => shop.outage(simulator).await?,
        None => print::line(
            "    The authority that this server tells is not ours to command: no outage is played.",
        ),
    }
    shop.take_back(&sold).await?;
    match authority {
        Authority::Furs => Ok(()),
        Authority::Fina => shop.pay_by_card().await,
    }
}

fn entity(authority: Authority) -> Value {
    match authority {
        Authority::Furs => json!({
            "name": "Pri Ani s.p.", "address": "Slovenska cesta 1", "post_code": "1000",
            "city": "Ljubljana", "country": "Slovenia", "country_code": "SI",
            "tax_number": format!("SI{TAX_NUMBER}"), "environment": "sandbox",
        }),
        Authority::Fina => json!({
            "name": "Kod Ane d.o.o.", "address": "Ilica 1", "post_code": "10000",
            "city": "Zagreb", "country": "Croatia", "country_code": "HR",
            "tax_number": format!("HR{OIB}"), "environment": "sandbox",
        }),
    }
}

/// An entity that sells.
struct Shop<'a> {
    player: &'a Player,
    authority: Authority,
}

impl Shop<'_> {
    /// A path of the authority's settings.
    fn path(&self, path: &str) -> String {
        format!("/fiscalization/{}{path}", self.authority.name())
    }

    /// A certificate, a place with a device, and who sells there.
    async fn set_up(&self) -> anyhow::Result<()> {
        let path = self.path("/settings/certificate/sandbox");
        let certificate = self.player.post("get a certificate", &path, json!({})).await?;
        certificate.show(&["certificate_cn", "certificate_status", "certificate_expiry"]);
        let premise = self.open_premise().await?;
        let field = match self.authority {
            Authority::Furs => "name",
            Authority::Fina => "electronic_device_name",
        };
        let path = self.path(&format!("/premises/{premise}/devices"));
        let device = self.player.post("make a device", &path, json!({ field: "1" })).await?;
        device.show(&["id", "electronic_device_name"]);
        let number = match self.authority {
            Authority::Furs => TAX_NUMBER,
            Authority::Fina => OIB,
        };
        let settings = json!({
            "enabled": true, "operator_label": "Ana", self.authority.number_field(): number,
        });
        let path = self.path("/settings");
        let settings = self.player.send("switch it on", Method::PUT, &path, Some(settings)).await?;
        settings.show(&["enabled", "environment", "operator_label"]);
        Ok(())
    }

    /// Opens a business premise, registered with FURS; returns its id.
    async fn open_premise(&self) -> anyhow::Result<String> {
        let (path, body) = match self.authority {
            Authority::Furs => (
                "/premises/real-estate",
                json!({
                    "business_premise_name": "P1",
                    "real_estate": {
                        "cadastral_number": "365", "building_number": "12",
                        "building_section": "3", "street": "Slovenska cesta", "house_number": "1",
                        "community": "Ljubljana", "city": "Ljubljana", "postal_code": "1000",
                    },
                }),
            ),
            Authority::Fina => ("/premises", json!({ "business_premise_name": "P1" })),
        };
        let premise = self.player.post("open a premise", &self.path(path), body).await?;
        premise.show(&["id", "business_premise_name"]);
        premise.text("id")
    }

    /// An invoice that is paid in cash.
    async fn sell(&self, what: &'static str) -> anyhow::Result<StepResult> {
        let mut body = sale();
        body["payments"] = json!([{ "type": "cash" }]);
        let sold = self.player.post(what, "/invoices", body).await?;
        sold.print(&receipt::in_words(self.authority, &sold.body)?);
        Ok(sold)
    }

    /// Sells while the authority cannot be reached, and waits until the sale is reported.
    async fn outage(&self, simulator: &Running) -> anyhow::Result<()> {
        let title = self.authority.title();
        print::line(format_args!("    {title} cannot be reached from here on."));
        let when = When { authority: Some(self.authority.into()), ..When::default() };
        simulator.add_fault(Fault::Refuse, when).map_err(|reason| anyhow!(reason))?;
        let sold = self.sell("sell all the same").await?;
        let status = &receipt::told(self.authority, &sold.body)?["status"];
        ensure!(status == "pending", "{title} knows of a sale that it was not told of: {status}");
        receipt::print(self.authority, &sold.body, None)?;
        print::line(format_args!(
            "    {title} can be reached again; the server tells it by itself."
        ));
        simulator.clear_faults();
        let told = self.wait_until_told(&sold.text("id")?).await?;
        told.print(&receipt::in_words(self.authority, &told.body)?);
        Ok(())
    }

    /// Reads an invoice until the authority has confirmed it.
    async fn wait_until_told(&self, id: &str) -> anyhow::Result<StepResult> {
        let path = format!("/invoices/{id}");
        let is_told =
            |read: &Value| Ok(receipt::told(self.authority, read)?["status"] == "success");
        self.player.read_until("read it later", &path, is_told).await
    }

    /// A credit note for all of an invoice.
    async fn take_back(&self, sold: &StepResult) -> anyhow::Result<()> {
        let mut body = sale();
        body["linked_documents"] = json!([sold.text("id")?]);
        let credit = self.player.post("take it back", "/credit-notes", body).await?;
        credit.print(&receipt::in_words(self.authority, &credit.body)?);
        receipt::print(self.authority, &credit.body, Some(&sold.text("number")?))
    }

    /// The last customer pays by card after all, of which the authority must know on the same day.
    async fn pay_by_card(&self) -> anyhow::Result<()> {
        let sold = self.sell("sell for cash again").await?;
        let payments = self.player.send("find its payment", Method::GET, "/payments", None).await?;
        let rows = payments.body["data"].as_array().into_iter().flatten();
        let own = rows.into_iter().find(|row| row["invoice_id"] == sold.body["id"]);
        let id = own.and_then(|row| row["id"].as_str()).context("the sale has no payment")?;
        payments.print(id);
        let (path, card) = (format!("/payments/{id}"), json!({ "type": "card" }));
        let paid = self.player.send("paid by card", Method::PATCH, &path, Some(card)).await?;
        paid.show(&["id", "type", "amount"]);
        Ok(())
    }
}

/// What is sold, and taken back.
fn sale() -> Value {
    json!({ "items": [
        { "name": "Coffee", "quantity": 2, "gross_price": 2, "taxes": [{ "rate": 22 }] },
        { "name": "Cake", "gross_price": 5, "taxes": [{ "rate": 9.5 }] },
    ], "calculation_mode": "b2c_gross_discount" })
}
