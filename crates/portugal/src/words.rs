//! Words that paper must have, in Portuguese.
//!
//! Source: Despacho 8632/2014, 1.2, 2.2 and 2.4; Portaria 195/2020.

use crate::{Atcud, Code, Hash, ManualNumber};

/// What documents say that are no invoices.
pub const NOT_AN_INVOICE: &str = "Este documento não serve de fatura";

/// What the foot of a document says of the program whose certificate has this number: for a signed
/// document behind the four characters of its hash, `xY3z-Processado por programa certificado n.º
/// 9999/AT`; for a receipt, which is not signed, `Emitido por programa certificado n.º 9999/AT`.
#[must_use]
pub fn program_line(hash: Option<&Hash>, certificate: u16) -> String {
    match hash {
        Some(hash) => {
            let excerpt = hash.excerpt();
            format!("{excerpt}-Processado por programa certificado n.º {certificate:04}/AT")
        }
        None => format!("Emitido por programa certificado n.º {certificate:04}/AT"),
    }
}

/// The line right above the QR code, and on every page.
#[must_use]
pub fn atcud_line(atcud: &Atcud) -> String {
    atcud.printed()
}

/// What a document of the type `code` says of itself, if it must: that it is no invoice.
#[must_use]
pub const fn disclaimer(code: Code) -> Option<&'static str> {
    if code.serves_as_invoice() { None } else { Some(NOT_AN_INVOICE) }
}

/// What a document says that was recovered from a form: `Cópia do documento original - FTM
/// abc/00001`.
#[must_use]
pub fn recovered_line(form: &ManualNumber) -> String {
    format!("Cópia do documento original - {form}")
}

/// Which print of a document it is: the first one, or a copy (Despacho 8632/2014, 2.2; a copy has
/// the contents of the original).
#[must_use]
pub const fn copy_mark(is_first: bool) -> &'static str {
    if is_first { "Original" } else { "2.ª via, em conformidade com o original" }
}

/// What paper calls a document of the type `code`.
#[must_use]
pub const fn title(code: Code) -> &'static str {
    match code {
        Code::Ft => "Fatura",
        Code::Fs => "Fatura simplificada",
        Code::Fr => "Fatura-recibo",
        Code::Nd => "Nota de débito",
        Code::Nc => "Nota de crédito",
        Code::Gr => "Guia de remessa",
        Code::Gt => "Guia de transporte",
        Code::Ga => "Guia de movimentação de ativos fixos próprios",
        Code::Gc => "Guia de consignação",
        Code::Gd => "Guia de devolução",
        Code::Cm => "Consulta de mesa",
        Code::Cc => "Crédito de consignação",
        Code::Fc => "Fatura de consignação",
        Code::Fo => "Folha de obra",
        Code::Ne => "Nota de encomenda",
        Code::Ou => "Documento de conferência",
        Code::Or => "Orçamento",
        Code::Pf => "Fatura pró-forma",
        Code::Rc | Code::Rg => "Recibo",
    }
}
