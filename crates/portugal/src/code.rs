//! Types of documents, as the authority names them.

use racun_kernel::DocumentKind;
use serde::{Deserialize, Serialize};

/// The parts of SAF-T in which documents stand, which are the classes of their series.
///
/// Source: Portaria 302/2016, tables 4.1 to 4.4; AT, "Comunicação de Séries Documentais".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Invoices and what rectifies them: `SalesInvoices`.
    Sales,
    /// What goes with goods: `MovementOfGoods`.
    Movement,
    /// What customers check before they are invoiced: `WorkingDocuments`.
    Working,
    /// Receipts: `Payments`.
    Payments,
}

impl Class {
    /// Its code in messages about series.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Sales => "SI",
            Self::Movement => "MG",
            Self::Working => "WD",
            Self::Payments => "PY",
        }
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal $class:ident,)*) => {
        /// The type of a document: `FT` and the like. Types that only insurers use, and those that
        /// ended in 2012 and 2017, are left out.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "UPPERCASE")]
        pub enum Code {
            $($(#[$doc])* $name,)*
        }

        impl Code {
            /// All types.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Its two letters.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// Its element of SAF-T.
            #[must_use]
            pub const fn class(self) -> Class {
                match self { $(Self::$name => Class::$class,)* }
            }
        }
    };
}

codes! {
    /// Fatura: an invoice, or an invoice for an advance.
    Ft = "FT" Sales,
    /// Fatura simplificada: a simplified invoice.
    Fs = "FS" Sales,
    /// Fatura-recibo: an invoice that is paid when it is issued.
    Fr = "FR" Sales,
    /// Nota de débito: a debit note.
    Nd = "ND" Sales,
    /// Nota de crédito: a credit note.
    Nc = "NC" Sales,
    /// Guia de remessa: a delivery note.
    Gr = "GR" Movement,
    /// Guia de transporte: a transport note.
    Gt = "GT" Movement,
    /// Guia de movimentação de ativos fixos próprios: own fixed assets that move.
    Ga = "GA" Movement,
    /// Guia de consignação: a consignment note.
    Gc = "GC" Movement,
    /// Guia ou nota de devolução: a return note.
    Gd = "GD" Movement,
    /// Consulta de mesa: what a table has ordered.
    Cm = "CM" Working,
    /// Crédito de consignação: consignment credit.
    Cc = "CC" Working,
    /// Fatura de consignação: a consignment invoice.
    Fc = "FC" Working,
    /// Folha de obra: a worksheet.
    Fo = "FO" Working,
    /// Nota de encomenda: an order.
    Ne = "NE" Working,
    /// Others.
    Ou = "OU" Working,
    /// Orçamento: an estimate.
    Or = "OR" Working,
    /// Fatura pró-forma.
    Pf = "PF" Working,
    /// Recibo under the cash scheme of VAT, which carries the tax.
    Rc = "RC" Payments,
    /// Other receipts.
    Rg = "RG" Payments,
}

impl Code {
    /// The type with these letters.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.text() == text)
    }

    /// Whether documents of it are signed: all but receipts (Despacho 8632/2014, 1.1).
    #[must_use]
    pub const fn is_signed(self) -> bool {
        !matches!(self.class(), Class::Payments)
    }

    /// Whether it is an invoice by law, which others must say that they are not (Despacho
    /// 8632/2014, 1.2).
    #[must_use]
    pub const fn serves_as_invoice(self) -> bool {
        matches!(self.class(), Class::Sales | Class::Payments)
    }

    /// Whether its lines stand in the column of debit: what gives back.
    #[must_use]
    pub const fn is_debit(self) -> bool {
        matches!(self, Self::Nc | Self::Gd)
    }
}

/// For which documents of Racun a series is: `document_type` of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Invoices.
    Invoice,
    /// Invoices that are paid when they are issued.
    InvoiceReceipt,
    /// Invoices for advances.
    AdvanceInvoice,
    /// Credit notes.
    CreditNote,
    /// Debit notes.
    DebitNote,
    /// Estimates.
    Estimate,
    /// Delivery notes, which accompany goods.
    DeliveryNote,
    /// Receipts of payments.
    Payment,
}

impl Purpose {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Invoice,
        Self::InvoiceReceipt,
        Self::AdvanceInvoice,
        Self::CreditNote,
        Self::DebitNote,
        Self::Estimate,
        Self::DeliveryNote,
        Self::Payment,
    ];

    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Invoice => "invoice",
            Self::InvoiceReceipt => "invoice_receipt",
            Self::AdvanceInvoice => "advance_invoice",
            Self::CreditNote => "credit_note",
            Self::DebitNote => "debit_note",
            Self::Estimate => "estimate",
            Self::DeliveryNote => "delivery_note",
            Self::Payment => "payment",
        }
    }

    /// The purpose called `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|purpose| purpose.name() == name)
    }

    /// The type of its documents. Receipts are RG: Racun keeps no books under the cash scheme of
    /// VAT, whose receipts alone are RC.
    #[must_use]
    pub const fn code(self) -> Code {
        match self {
            Self::Invoice | Self::AdvanceInvoice => Code::Ft,
            Self::InvoiceReceipt => Code::Fr,
            Self::CreditNote => Code::Nc,
            Self::DebitNote => Code::Nd,
            Self::Estimate => Code::Or,
            Self::DeliveryNote => Code::Gt,
            Self::Payment => Code::Rg,
        }
    }
}

impl From<DocumentKind> for Purpose {
    /// What a kind of document is issued as, when nothing else is wanted.
    fn from(kind: DocumentKind) -> Self {
        match kind {
            DocumentKind::Invoice => Self::Invoice,
            DocumentKind::AdvanceInvoice => Self::AdvanceInvoice,
            DocumentKind::CreditNote => Self::CreditNote,
            DocumentKind::Estimate => Self::Estimate,
            DocumentKind::DeliveryNote => Self::DeliveryNote,
        }
    }
}
