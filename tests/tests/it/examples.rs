//! The description's examples: true to its schemas, and what they send is taken.

use std::collections::{BTreeMap, BTreeSet};

use racun_tests::{Account, Client, Racun, StoreKind, on_both_stores};
use serde_json::{Value, json};

on_both_stores! {
    examples_are_as_described_and_what_they_send_is_taken,
}

/// What ids in examples end with.
const SAMPLE: &str = "01jd6m0000000000000000000c";

/// The operations that are played, in this order, each with the prefix of the id in its path.
const STORY: &[(&str, &str)] = &[
    ("signUp", ""),
    ("logIn", ""),
    ("requestPasswordReset", ""),
    ("updateMe", ""),
    ("setMyFursSettings", ""),
    ("setMyFinaSettings", ""),
    ("setMyPtSettings", ""),
    ("createEntity", ""),
    ("updateEntity", "ent"),
    ("setSpendingLimit", "ent"),
    ("setEmailSender", "ent"),
    ("createAccountKey", ""),
    ("createEntityKey", ""),
    ("addEntityUser", ""),
    ("createCustomer", ""),
    ("updateCustomer", "cus"),
    ("createSupplier", ""),
    ("updateSupplier", "sup"),
    ("createTax", ""),
    ("updateTax", "tax"),
    ("replaceTax", "tax"),
    ("createItem", ""),
    ("updateItem", "item"),
    ("createFinancialCategory", ""),
    ("updateFinancialCategory", "fcat"),
    ("createBusinessUnit", ""),
    ("updateBusinessUnit", "unit"),
    ("calculateDocument", ""),
    ("previewInvoice", ""),
    ("previewEstimate", ""),
    ("previewCreditNote", ""),
    ("previewAdvanceInvoice", ""),
    ("previewDeliveryNote", ""),
    ("checkTransactionType", ""),
    ("checkVies", ""),
    ("createCustomInvoice", ""),
    ("createInvoice", ""),
    ("categorizeDocumentItem", "inv_item"),
    ("categorizeDocumentItems", ""),
    ("updateInvoice", "inv"),
    ("createPayment", ""),
    ("updatePayment", "pmt"),
    ("createRecurringInvoice", ""),
    ("updateRecurringInvoice", "rinv"),
    ("createCustomEstimate", ""),
    ("createEstimate", ""),
    ("updateEstimate", "est"),
    ("acceptEstimate", "est"),
    ("createEstimate", ""),
    ("rejectEstimate", "est"),
    ("createCustomCreditNote", ""),
    ("createCreditNote", ""),
    ("updateCreditNote", "cre"),
    ("voidCreditNote", "cre"),
    ("createCustomAdvanceInvoice", ""),
    ("createAdvanceInvoice", ""),
    ("updateAdvanceInvoice", "adv"),
    ("createCustomDeliveryNote", ""),
    ("createDeliveryNote", ""),
    ("updateDeliveryNote", "del"),
    ("voidDeliveryNote", "del"),
    ("exportDocumentsAsPdf", ""),
    ("exportDocumentsAsEslog", ""),
    ("createCustomExpense", ""),
    ("createExpense", ""),
    ("updateExpense", "exp"),
    ("createExpensePayment", "exp"),
    ("voidExpense", "exp"),
    ("createPosTable", ""),
    ("updatePosTable", "ptbl"),
    ("openPosTab", ""),
    ("appendPosTabItems", "ptab"),
    ("updatePosTab", "ptab"),
    ("claimPosTab", "ptab"),
    ("releasePosTab", "ptab"),
    ("claimPosTab", "ptab"),
    ("closePosTab", "ptab"),
    ("openPosTab", ""),
    ("appendPosTabItems", "ptab"),
    ("invoicePosTab", "ptab"),
    ("closePosDay", ""),
    ("setOperatorPin", "usr"),
    ("switchOperator", ""),
    ("createOrderIntegration", ""),
    ("updateOrderIntegration", "oint"),
    ("authorizeShopify", ""),
    ("resumeShopifyInstall", ""),
    ("updatePaymentAppSettings", ""),
    ("createOrder", ""),
    ("updateOrder", "ord"),
    ("createEInvoicingSupplier", ""),
    ("updateEInvoicingSupplier", ""),
    ("updateEInvoicingSettings", ""),
    ("checkEInvoicingRecipient", ""),
    ("searchEInvoicingCustomer", ""),
    ("createWebhook", ""),
    ("updateWebhook", "wh"),
    ("replayWebhook", "wh"),
    ("v1CreateWebhook", "ent"),
    ("v1UpdateWebhook", "wh"),
    ("v1ReplaceWebhook", "wh"),
    ("createAccountWebhook", ""),
    ("updateAccountWebhook", "accwh"),
    ("replayAccountWebhook", "accwh"),
];

/// In an entity in Slovenia with a certificate.
const IN_SLOVENIA: &[(&str, &str)] = &[
    ("createFursRealEstatePremise", ""),
    ("createFursMovablePremise", ""),
    ("createFursDevice", "premise"),
    ("updateFursPremise", "premise"),
    ("updateFursDevice", "device"),
    ("updateFursSettings", ""),
    ("queryStats", ""),
    ("updateSiTaxProfile", ""),
    ("reviewNormirani", ""),
    ("exportNormirani", ""),
    ("exportVod", ""),
    ("exportVasco", ""),
    ("exportMinimax", ""),
    ("updateRevenueRecognitionSettings", ""),
    ("backfillRevenueRecognition", ""),
    ("updateExpenseRecognitionSettings", ""),
    ("backfillExpenseRecognition", ""),
];

/// In an entity in Croatia.
const IN_CROATIA: &[(&str, &str)] = &[
    ("createFinaPremise", ""),
    ("createFinaDevice", "fina_premise"),
    ("updateFinaPremise", "fina_premise"),
    ("updateFinaDevice", "fina_device"),
    ("updateFinaSettings", ""),
];

/// In an entity in Portugal.
const IN_PORTUGAL: &[(&str, &str)] = &[
    ("createAtcudSeries", ""),
    ("updateAtcudSeries", "pt_series"),
    ("updatePtSettings", ""),
    ("beginSaftPt", ""),
];

/// What is not played, and why.
const UNPLAYED: &[(&str, &str)] = &[
    ("acceptInvitation", "takes a token that was mailed"),
    ("acceptSharedEstimate", "takes a link that was shared"),
    ("activatePlan", "takes a white label that sells"),
    ("authorizePaymentApp", "takes a card processor"),
    ("beginMySecondFactor", "takes the password of who is logged in"),
    ("beginOpenIdSignIn", "takes an identity provider"),
    ("checkOutPlan", "takes a white label that sells"),
    ("changeMyPassword", "takes the password of who is logged in"),
    ("connectPaymentApp", "takes a consent at a card processor"),
    ("confirmMySecondFactor", "takes a code of an app"),
    ("confirmPasswordReset", "takes a token that was mailed"),
    ("finishOpenIdSignIn", "takes an identity provider"),
    ("fiscalizeDocument", "takes a document that an authority did not confirm"),
    ("giveCard", "takes a white label that sells"),
    ("invoiceCardPayment", "takes an account at a card processor"),
    ("linkMyIdentity", "takes an identity provider"),
    ("movePosTabLines", "takes two tabs"),
    ("noticeOfEInvoicingProvider", "takes the secret of a provider"),
    ("openBillingPortal", "takes a white label that sells"),
    ("paySharedInvoice", "takes a link that was shared"),
    ("putManagedWhiteLabel", "takes the operator's key"),
    ("endBillOfEntity", "takes the operator's key"),
    ("rejectSharedEstimate", "takes a link that was shared"),
    ("removeMySecondFactor", "takes a code of an app"),
    ("renewMyRecoveryCodes", "takes a code of an app"),
    ("signInByOpenId", "takes an identity provider"),
    ("syncOrderIntegration", "takes a shop whose owner consented"),
    ("sendEInvoice", "takes an entity that the network knows"),
    ("sendDocument", "takes a user who followed a link"),
    ("sendEmail", "takes a user who followed a link"),
    ("sendPaymentReminder", "takes a user who followed a link"),
    ("setBillingEmail", "takes a white label that sells"),
    ("updateEntityUser", "takes a second user"),
    ("verifyEmail", "takes a token that was mailed"),
    ("voidAdvanceInvoice", "takes an advance invoice that nobody paid; the body is voidInvoice's"),
];

/// The player of the story.
struct Player {
    client: Client,
    description: Value,
    /// The ids that answers had last, by prefix.
    ids: BTreeMap<String, String>,
    played: BTreeSet<String>,
    wrong: Vec<String>,
}

impl Player {
    /// An operation with its method and path.
    fn find(&self, name: &str) -> (String, String, Value) {
        let paths = self.description["paths"].as_object().expect("paths");
        let mut all = paths.iter().flat_map(|(path, item)| {
            let item = item.as_object().expect("operations");
            item.iter().map(move |(method, operation)| (method, path, operation))
        });
        let found = all.find(|(_, _, operation)| operation["operationId"] == name);
        let (method, path, operation) = found.unwrap_or_else(|| panic!("no operation {name}"));
        (method.to_uppercase(), path.clone(), operation.clone())
    }

    /// Sends what the operation's example is, to the ids that there are.
    async fn play(&mut self, name: &str, prefix: &str) {
        let (method, path, operation) = self.find(name);
        let id = self.ids.get(prefix).cloned().unwrap_or_default();
        let mut path = path.replace("{id}", &id);
        if name == "calculateDocument" {
            path.push_str("?type=invoice");
        }
        let example = &operation["requestBody"]["content"]["application/json"]["example"];
        let mut body = example.to_string();
        for (prefix, id) in &self.ids {
            body = body.replace(&format!("\"{prefix}_{SAMPLE}\""), &format!("\"{id}\""));
        }
        let is_file = operation["responses"]["200"]["content"].get("application/xml").is_some();
        let answer = self.client.json(&method, &path, body.clone()).await;
        self.played.insert(name.to_owned());
        if !(200..300).contains(&answer.status) {
            self.wrong.push(format!("{name}: {method} {path} {body}: {}", answer.text));
        } else if answer.status != 204 && !name.starts_with("preview") && !is_file {
            self.remember(&answer.body());
        }
    }

    fn remember(&mut self, answer: &Value) {
        for id in [&answer["id"], &answer["items"][0]["id"]].into_iter().filter_map(Value::as_str) {
            if let Some((prefix, _)) = id.rsplit_once('_') {
                self.ids.insert(prefix.to_owned(), id.to_owned());
            }
        }
    }

    /// Checks an example against its schema.
    fn check(&mut self, place: &str, media: &Value) {
        let (Some(schema), Some(example)) = (media.get("schema"), media.get("example")) else {
            return;
        };
        let document = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "components": self.description["components"],
            "allOf": [schema],
        });
        let options = jsonschema::options().should_validate_formats(true);
        let validator = options.build(&document).expect("a JSON schema");
        self.wrong.extend(
            validator.iter_errors(example).take(3).map(|error| {
                format!("the example of {place} at {}: {error}", error.instance_path())
            }),
        );
    }

    fn check_all(&mut self) {
        let mut examples = Vec::new();
        let items = self.description["paths"].as_object().expect("paths").values();
        let operations = items.flat_map(|item| item.as_object().expect("operations").values());
        for operation in operations {
            let name = operation["operationId"].as_str().unwrap_or_default().to_owned();
            let answers = operation["responses"].as_object().expect("answers");
            examples.push((name.clone(), operation["requestBody"]["content"].clone()));
            examples.extend(
                answers.iter().map(|(status, answer)| {
                    (format!("{name} {status}"), answer["content"].clone())
                }),
            );
        }
        let refusals = self.description["components"]["responses"].as_object().expect("refusals");
        examples.extend(refusals.iter().map(|(name, it)| (name.clone(), it["content"].clone())));
        for (place, content) in &examples {
            for media_type in ["application/json", "multipart/form-data"] {
                self.check(place, &content[media_type]);
            }
        }
        assert!(examples.len() > 400, "{}", examples.len());
    }
}

async fn examples_are_as_described_and_what_they_send_is_taken(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let me = account.user.read("/users/me").await;
    let mut player = Player {
        client: account.user.clone().with("x-entity-id", &account.entity),
        description: racun.client().read("/openapi.json").await,
        ids: BTreeMap::new(),
        played: BTreeSet::new(),
        wrong: Vec::new(),
    };
    player.check_all();
    player.remember(&me);
    for (name, prefix) in STORY {
        player.play(name, prefix).await;
        match *name {
            // Others are made here; the story goes on in the first one.
            "signUp" | "switchOperator" => player.remember(&me),
            "setEmailSender" => player.remember(&json!({ "id": account.entity })),
            _ => {}
        }
    }
    // What can be done with a draft, with a document that is not paid, and with the clock.
    let unpaid = json!({ "items": [{ "name": "Tea", "price": 2 }] });
    let draft = json!({ "items": unpaid["items"], "is_draft": true });
    for (path, body, name) in [
        ("/invoices", &draft, "finalizeDocument"),
        ("/invoices", &unpaid, "voidInvoice"),
        ("/expenses", &draft, "finalizeExpense"),
    ] {
        let made = if name == "finalizeExpense" {
            let example = player.find("createExpense").2["requestBody"]["content"]
                ["application/json"]["example"]
                .clone();
            let mut example = example;
            example["is_draft"] = true.into();
            player.client.create(path, &example).await
        } else {
            player.client.create(path, body).await
        };
        player.remember(&made);
        let id = made["id"].as_str().unwrap_or_default();
        let prefix = id.rsplit_once('_').map_or("", |(prefix, _)| prefix).to_owned();
        player.play(name, &prefix).await;
    }
    player.play("advanceTestClock", "").await;
    for (country, tax_number, office, story) in [
        ("Slovenia", "SI10039856", Some("furs"), IN_SLOVENIA),
        ("Croatia", "HR69435151530", Some("fina"), IN_CROATIA),
        ("Portugal", "501442600", None, IN_PORTUGAL),
    ] {
        // What one in Portugal needs.
        let entity = json!({ "name": "Ana", "country": country, "tax_number": tax_number,
            "environment": "sandbox", "company_number": tax_number, "phone": "+351 210000000",
            "email": "ana@example.com", "address": "Rua Augusta 1", "city": "Lisboa",
            "post_code": "1100-048", "state": "Lisboa", "starting_capital": 5000 });
        let entity = account.user.create("/entities", &entity).await;
        let id = entity["id"].as_str().unwrap_or_default();
        player.client = account.user.clone().with("x-entity-id", id);
        if office == Some("furs") {
            // What is posted of the days in the examples.
            let sold = json!({ "date": "2026-10-15", "items": unpaid["items"] });
            player.client.create("/invoices", &sold).await;
        }
        if let Some(office) = office {
            let certificate = format!("/fiscalization/{office}/settings/certificate/sandbox");
            let given = player.client.post(&certificate, &json!({})).await;
            assert!(given.status < 300, "{certificate}: {}", given.text);
        }
        for (name, prefix) in story {
            player.play(name, prefix).await;
        }
    }
    assert!(player.wrong.is_empty(), "{}", player.wrong.join("\n"));
    every_body_is_played_or_there_is_a_reason(&player);
}

fn every_body_is_played_or_there_is_a_reason(player: &Player) {
    let items = player.description["paths"].as_object().expect("paths").values();
    let operations = items.flat_map(|item| item.as_object().expect("operations").values());
    for operation in operations {
        let name = operation["operationId"].as_str().unwrap_or_default();
        let takes = operation["requestBody"]["content"].get("application/json").is_some();
        let excused = UNPLAYED.iter().any(|(unplayed, _)| *unplayed == name);
        let played = player.played.contains(name);
        assert!(!takes || played != excused, "{name} has a place in the story, or a reason");
    }
}
