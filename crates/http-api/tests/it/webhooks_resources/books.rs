//! Documents, payments and expenses.

use serde_json::json;

use super::{OWNER, Story, lines, with};

/// The kinds of documents, what issuing one tells beside that it was created, and what voiding
/// tells.
const DOCUMENTS: [(&str, &str, &str, &str); 5] = [
    ("invoice", "/invoices", "invoice.finalized", "invoice.voided invoice.cancelled"),
    ("estimate", "/estimates", "", ""),
    ("credit_note", "/credit-notes", "credit_note.issued", "credit_note.voided"),
    ("advance_invoice", "/advance-invoices", "", "advance_invoice.voided"),
    ("delivery_note", "/delivery-notes", "", "delivery_note.voided delivery_note.cancelled"),
];

impl Story {
    /// Documents of each kind are made, changed, deleted, sent and voided.
    pub(super) async fn documents(&mut self) {
        for (name, base, issued, voided) in DOCUMENTS {
            let created = format!("{name}.created");
            let draft = with(lines(10), json!({"is_draft": true}));
            let id = self.make(base, draft.clone(), &created).await;
            // Of the others the log alone says so.
            let updated = if name == "invoice" { "invoice.updated" } else { "" };
            self.change(&format!("{base}/{id}"), json!({"note": "hello"}), updated).await;
            let deleted = format!("{name}.deleted");
            self.remove(&format!("/documents/{id}?type={name}"), &deleted).await;
            let restored = format!("{name}.restored");
            self.act(&format!("/documents/{id}/restore"), json!({}), &restored).await;

            if name == "advance_invoice" {
                continue;
            }
            let id = self.make(base, draft, &created).await;
            self.act(&format!("/documents/{id}/finalize"), json!({}), issued).await;
            let sent = match name {
                "credit_note" => String::new(),
                _ => format!("{name}.sent"),
            };
            self.act(&format!("/documents/{id}/send"), json!({"to": OWNER}), &sent).await;
            if !voided.is_empty() {
                self.act(&format!("{base}/{id}/void"), json!({}), voided).await;
            }
            self.make(base, lines(10), &format!("{created} {issued}")).await;
        }
        for reply in ["accept", "reject"] {
            let id = self.make("/estimates", lines(20), "estimate.created").await;
            let path = format!("/estimates/{id}/{reply}");
            self.act(&path, json!({}), &format!("estimate.{reply}ed")).await;
            self.act(&path, json!({}), "").await;
        }
    }

    /// Invoices and advance invoices are paid.
    pub(super) async fn payments(&mut self) {
        let id = self.make("/invoices", lines(10), "invoice.created invoice.finalized").await;
        let part = json!({"document_id": id, "amount": 4, "type": "cash"});
        self.make("/payments", part, "payment.received").await;
        let rest = json!({"document_id": id, "amount": 6, "type": "cash"});
        let rest = self.make("/payments", rest, "payment.received invoice.paid").await;
        self.trash(&format!("/payments/{rest}"), "payment", "invoice.paid").await;

        let kinds = "advance_invoice.created advance_invoice.paid payment.received";
        let paid = with(lines(5), json!({"payments": [{"type": "cash"}]}));
        let advance = self.make("/advance-invoices", paid.clone(), kinds).await;
        // No money comes in by that, so there is no event of a payment.
        let kinds = "invoice.created invoice.finalized advance_invoice.applied";
        let linked = with(lines(50), json!({"linked_documents": [advance]}));
        self.make("/invoices", linked, kinds).await;
        let kinds = "advance_invoice.created advance_invoice.paid payment.received";
        let advance = self.make("/advance-invoices", paid, kinds).await;
        let path = format!("/advance-invoices/{advance}/void");
        self.act(&path, json!({}), "advance_invoice.voided").await;

        let cash = with(lines(8), json!({"payments": [{"type": "cash"}]}));
        let kinds = "invoice.created invoice.finalized payment.received invoice.paid";
        self.make("/invoices", cash, kinds).await;
    }

    /// Expenses from the draft to the end.
    pub(super) async fn expenses(&mut self) {
        let draft = self.make("/expenses", json!({"is_draft": true}), "expense.created").await;
        let path = format!("/expenses/{draft}");
        self.remove(&path, "expense.deleted").await;
        let draft = self.make("/expenses", json!({"is_draft": true}), "expense.created").await;
        let path = format!("/expenses/{draft}");
        let bill = with(lines(7), json!({"supplier": {"name": "Mlin"}, "date": "2026-11-02"}));
        self.change(&path, bill.clone(), "expense.updated").await;
        self.act(&format!("{path}/finalize"), json!({}), "expense.finalized").await;
        let payment = json!({"amount": 7, "type": "cash"});
        self.act(&format!("{path}/payments"), payment, "payment.received").await;
        let bill = self.make("/expenses", bill, "expense.created expense.finalized").await;
        self.act(&format!("/expenses/{bill}/void"), json!({}), "expense.voided").await;
    }
}
