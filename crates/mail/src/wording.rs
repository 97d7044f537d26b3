//! The default texts of mails. Languages that are not here get the English ones.

use crate::format::language;

/// What the service is called, where no white label has a name of its own.
pub const PRODUCT: &str = "Racun";

/// A subject and a body, as templates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words {
    /// The subject.
    pub subject: &'static str,
    /// The body: markdown with variables.
    pub body: &'static str,
}

/// The kinds of documents that are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentWords {
    /// An invoice.
    Invoice,
    /// An estimate.
    Estimate,
    /// A credit note.
    CreditNote,
    /// An advance invoice.
    AdvanceInvoice,
    /// A delivery note.
    DeliveryNote,
}

/// What a mail says by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wording {
    /// A document to its customer.
    Document(DocumentWords),
    /// What a customer still owes.
    Reminder,
    /// A user asks for a new password. `{link}` leads to a page and holds the secret, as below.
    PasswordReset,
    /// A user is to verify an address.
    Verification,
    /// A person is invited to `{entity_name}`.
    Invitation,
    /// An archive of documents is complete, to the person who asked for it.
    Export,
}

impl Wording {
    /// The words in the language of `locale`.
    #[must_use]
    pub fn words(self, locale: &str) -> Words {
        let texts = match language(locale) {
            "sl" => SLOVENIAN,
            "hr" => CROATIAN,
            "de" => GERMAN,
            _ => ENGLISH,
        };
        let (subject, body) = texts[self.place()];
        Words { subject, body }
    }

    const fn place(self) -> usize {
        match self {
            Self::Document(DocumentWords::Invoice) => 0,
            Self::Document(DocumentWords::Estimate) => 1,
            Self::Document(DocumentWords::CreditNote) => 2,
            Self::Document(DocumentWords::AdvanceInvoice) => 3,
            Self::Document(DocumentWords::DeliveryNote) => 4,
            Self::Reminder => 5,
            Self::PasswordReset => 6,
            Self::Verification => 7,
            Self::Invitation => 8,
            Self::Export => 9,
        }
    }
}

/// Subjects and bodies in the order of [`Wording::place`].
type Texts = [(&'static str, &'static str); 10];

const ENGLISH: Texts = [
    (
        "Invoice {document_number} from {entity_name}",
        "Hello,\n\nplease find our invoice **{document_number}** of {document_date} over \
         {document_total} {document_currency}, due on \
         {document_due_date}:\n\n{invoice_link}\n\nKind regards,\n{entity_name}",
    ),
    (
        "Estimate {document_number} from {entity_name}",
        "Hello,\n\nplease find our estimate **{document_number}** of {document_date} over \
         {document_total} {document_currency}, valid until \
         {document_valid_until}:\n\n{invoice_link}\n\nKind regards,\n{entity_name}",
    ),
    (
        "Credit note {document_number} from {entity_name}",
        "Hello,\n\nplease find our credit note **{document_number}** of {document_date} over \
         {document_total} {document_currency}:\n\n{invoice_link}\n\nKind regards,\n{entity_name}",
    ),
    (
        "Advance invoice {document_number} from {entity_name}",
        "Hello,\n\nplease find our advance invoice **{document_number}** of {document_date} over \
         {document_total} {document_currency}:\n\n{invoice_link}\n\nKind regards,\n{entity_name}",
    ),
    (
        "Delivery note {document_number} from {entity_name}",
        "Hello,\n\nplease find our delivery note **{document_number}** of {document_date}:\n\n\
         {invoice_link}\n\nKind regards,\n{entity_name}",
    ),
    (
        "Payment reminder from {entity_name}",
        "Hello {customer_name},\n\nwe have not received payment for {overdue_count} of our \
         invoices yet:\n\n{invoice_list}\n\nOpen in total: **{total_amount} \
         {document_currency}**.\n\n{payment_instructions}\n\nIf you have paid meanwhile, please \
         disregard this message.\n\nKind regards,\n{entity_name}",
    ),
    (
        "{product}: your new password",
        "Hello,\n\nsomebody asked {product} for a new password for this address. To set one, \
         follow this link within one hour:\n\n{link}\n\nIf it was not you, disregard this \
         message: your password stays as it is.",
    ),
    (
        "{product}: please confirm your address",
        "Hello,\n\nthis address was used to sign up to {product}. Please confirm that it is \
         yours:\n\n{link}\n\nThe link is valid for 24 hours. If you did not sign up, disregard \
         this message.",
    ),
    (
        "You are invited to work with {product}",
        "Hello,\n\nyou are invited to work in **{entity_name}** with {product}. Follow this link \
         within seven days and choose a password:\n\n{link}\n\nIf you do not know why, disregard \
         this message.",
    ),
    (
        "Your documents of {entity_name} are ready",
        "Hello,\n\nthe archive with the documents of **{entity_name}** that you asked for is \
         ready. Download it within seven days:\n\n{link}\n\nThe link works as long as you belong \
         to {entity_name}. Please keep it to yourself: it opens the archive without a password.",
    ),
];

const SLOVENIAN: Texts = [
    (
        "Račun {document_number} – {entity_name}",
        "Pozdravljeni,\n\npošiljamo vam račun **{document_number}** z dne {document_date} v znesku \
         {document_total} {document_currency}, ki zapade \
         {document_due_date}:\n\n{invoice_link}\n\nLep pozdrav,\n{entity_name}",
    ),
    (
        "Ponudba {document_number} – {entity_name}",
        "Pozdravljeni,\n\npošiljamo vam ponudbo **{document_number}** z dne {document_date} v \
         znesku {document_total} {document_currency}, ki velja do \
         {document_valid_until}:\n\n{invoice_link}\n\nLep pozdrav,\n{entity_name}",
    ),
    (
        "Dobropis {document_number} – {entity_name}",
        "Pozdravljeni,\n\npošiljamo vam dobropis **{document_number}** z dne {document_date} v \
         znesku {document_total} {document_currency}:\n\n{invoice_link}\n\nLep \
         pozdrav,\n{entity_name}",
    ),
    (
        "Avansni račun {document_number} – {entity_name}",
        "Pozdravljeni,\n\npošiljamo vam avansni račun **{document_number}** z dne {document_date} \
         v znesku {document_total} {document_currency}:\n\n{invoice_link}\n\nLep \
         pozdrav,\n{entity_name}",
    ),
    (
        "Dobavnica {document_number} – {entity_name}",
        "Pozdravljeni,\n\npošiljamo vam dobavnico **{document_number}** z dne {document_date}:\n\n\
         {invoice_link}\n\nLep pozdrav,\n{entity_name}",
    ),
    (
        "Opomin za plačilo – {entity_name}",
        "Pozdravljeni, {customer_name},\n\nza naslednje račune ({overdue_count}) še nismo prejeli \
         plačila:\n\n{invoice_list}\n\nSkupaj odprto: **{total_amount} {document_currency}**.\n\n\
         {payment_instructions}\n\nČe ste medtem že plačali, to sporočilo prezrite.\n\nLep \
         pozdrav,\n{entity_name}",
    ),
    (
        "{product}: novo geslo",
        "Pozdravljeni,\n\nnekdo je v storitvi {product} za ta naslov zahteval novo geslo. \
         Nastavite ga v eni uri na tej povezavi:\n\n{link}\n\nČe to niste bili vi, sporočilo \
         prezrite: geslo ostane, kakršno je.",
    ),
    (
        "{product}: potrdite svoj naslov",
        "Pozdravljeni,\n\ns tem naslovom se je nekdo prijavil v storitev {product}. Potrdite, da \
         je vaš:\n\n{link}\n\nPovezava velja 24 ur. Če se niste prijavili, sporočilo prezrite.",
    ),
    (
        "Vabilo k sodelovanju v {product}",
        "Pozdravljeni,\n\nvabljeni ste k delu v **{entity_name}** s storitvijo {product}. V sedmih \
         dneh sledite tej povezavi in izberite geslo:\n\n{link}\n\nČe ne veste, za kaj gre, \
         sporočilo prezrite.",
    ),
    (
        "Vaši dokumenti podjetja {entity_name} so pripravljeni",
        "Pozdravljeni,\n\narhiv z dokumenti podjetja **{entity_name}**, ki ste ga naročili, je \
         pripravljen. Prenesite ga v sedmih dneh:\n\n{link}\n\nPovezava deluje, dokler imate \
         dostop do podjetja {entity_name}. Ne posredujte je drugim: arhiv odpre brez gesla.",
    ),
];

const CROATIAN: Texts = [
    (
        "Račun {document_number} – {entity_name}",
        "Poštovani,\n\nšaljemo vam račun **{document_number}** od {document_date} na iznos \
         {document_total} {document_currency}, koji dospijeva \
         {document_due_date}:\n\n{invoice_link}\n\nSrdačan pozdrav,\n{entity_name}",
    ),
    (
        "Ponuda {document_number} – {entity_name}",
        "Poštovani,\n\nšaljemo vam ponudu **{document_number}** od {document_date} na iznos \
         {document_total} {document_currency}, koja vrijedi do {document_valid_until}:\n\n\
         {invoice_link}\n\nSrdačan pozdrav,\n{entity_name}",
    ),
    (
        "Odobrenje {document_number} – {entity_name}",
        "Poštovani,\n\nšaljemo vam odobrenje **{document_number}** od {document_date} na iznos \
         {document_total} {document_currency}:\n\n{invoice_link}\n\nSrdačan \
         pozdrav,\n{entity_name}",
    ),
    (
        "Račun za predujam {document_number} – {entity_name}",
        "Poštovani,\n\nšaljemo vam račun za predujam **{document_number}** od {document_date} na \
         iznos {document_total} {document_currency}:\n\n{invoice_link}\n\nSrdačan \
         pozdrav,\n{entity_name}",
    ),
    (
        "Otpremnica {document_number} – {entity_name}",
        "Poštovani,\n\nšaljemo vam otpremnicu **{document_number}** od {document_date}:\n\n\
         {invoice_link}\n\nSrdačan pozdrav,\n{entity_name}",
    ),
    (
        "Opomena za plaćanje – {entity_name}",
        "Poštovani, {customer_name},\n\nza sljedeće račune ({overdue_count}) još nismo primili \
         uplatu:\n\n{invoice_list}\n\nUkupno otvoreno: **{total_amount} {document_currency}**.\n\n\
         {payment_instructions}\n\nAko ste u međuvremenu platili, zanemarite ovu \
         poruku.\n\nSrdačan pozdrav,\n{entity_name}",
    ),
    (
        "{product}: nova lozinka",
        "Poštovani,\n\nnetko je u usluzi {product} za ovu adresu zatražio novu lozinku. \
         Postavite je unutar jednog sata na ovoj poveznici:\n\n{link}\n\nAko to niste bili vi, \
         zanemarite ovu poruku: lozinka ostaje kakva jest.",
    ),
    (
        "{product}: potvrdite svoju adresu",
        "Poštovani,\n\novom se adresom netko prijavio u uslugu {product}. Potvrdite da je \
         vaša:\n\n{link}\n\nPoveznica vrijedi 24 sata. Ako se niste prijavili, zanemarite ovu \
         poruku.",
    ),
    (
        "Poziv na suradnju u {product}",
        "Poštovani,\n\npozvani ste na rad u **{entity_name}** s uslugom {product}. Unutar sedam \
         dana slijedite ovu poveznicu i odaberite lozinku:\n\n{link}\n\nAko ne znate zašto, \
         zanemarite ovu poruku.",
    ),
    (
        "Vaši dokumenti tvrtke {entity_name} su spremni",
        "Poštovani,\n\narhiva s dokumentima tvrtke **{entity_name}** koju ste zatražili je \
         spremna. Preuzmite je u roku od sedam dana:\n\n{link}\n\nPoveznica vrijedi dok imate \
         pristup tvrtki {entity_name}. Ne prosljeđujte je drugima: otvara arhivu bez lozinke.",
    ),
];

const GERMAN: Texts = [
    (
        "Rechnung {document_number} von {entity_name}",
        "Guten Tag,\n\nhier ist unsere Rechnung **{document_number}** vom {document_date} über \
         {document_total} {document_currency}, fällig am \
         {document_due_date}:\n\n{invoice_link}\n\nMit freundlichen Grüßen\n{entity_name}",
    ),
    (
        "Angebot {document_number} von {entity_name}",
        "Guten Tag,\n\nhier ist unser Angebot **{document_number}** vom {document_date} über \
         {document_total} {document_currency}, gültig bis {document_valid_until}:\n\n{invoice_link}\
         \n\nMit freundlichen Grüßen\n{entity_name}",
    ),
    (
        "Rechnungskorrektur {document_number} von {entity_name}",
        "Guten Tag,\n\nhier ist unsere Rechnungskorrektur **{document_number}** vom \
         {document_date} über {document_total} {document_currency}:\n\n{invoice_link}\n\n\
         Mit freundlichen Grüßen\n{entity_name}",
    ),
    (
        "Anzahlungsrechnung {document_number} von {entity_name}",
        "Guten Tag,\n\nhier ist unsere Anzahlungsrechnung **{document_number}** vom \
         {document_date} über {document_total} {document_currency}:\n\n{invoice_link}\n\nMit \
         freundlichen Grüßen\n{entity_name}",
    ),
    (
        "Lieferschein {document_number} von {entity_name}",
        "Guten Tag,\n\nhier ist unser Lieferschein **{document_number}** vom {document_date}:\n\n\
         {invoice_link}\n\nMit freundlichen Grüßen\n{entity_name}",
    ),
    (
        "Zahlungserinnerung von {entity_name}",
        "Guten Tag {customer_name},\n\nfür {overdue_count} unserer Rechnungen haben wir noch keine \
         Zahlung erhalten:\n\n{invoice_list}\n\nInsgesamt offen: **{total_amount} \
         {document_currency}**.\n\n{payment_instructions}\n\nFalls Sie inzwischen bezahlt haben, \
         ist diese Nachricht gegenstandslos.\n\nMit freundlichen Grüßen\n{entity_name}",
    ),
    (
        "{product}: Ihr neues Passwort",
        "Guten Tag,\n\njemand hat bei {product} für diese Adresse ein neues Passwort verlangt. \
         Setzen Sie es innerhalb einer Stunde unter diesem Link:\n\n{link}\n\nWenn Sie es nicht \
         waren, ist nichts zu tun: Ihr Passwort bleibt, wie es ist.",
    ),
    (
        "{product}: Bitte bestätigen Sie Ihre Adresse",
        "Guten Tag,\n\nmit dieser Adresse hat sich jemand bei {product} angemeldet. Bitte \
         bestätigen Sie, dass sie Ihnen gehört:\n\n{link}\n\nDer Link gilt 24 Stunden. Wenn Sie \
         sich nicht angemeldet haben, ist nichts zu tun.",
    ),
    (
        "Einladung zur Mitarbeit in {product}",
        "Guten Tag,\n\nSie sind eingeladen, in **{entity_name}** mit {product} mitzuarbeiten. \
         Folgen Sie innerhalb von sieben Tagen diesem Link und wählen Sie ein \
         Passwort:\n\n{link}\n\nWenn Sie nicht wissen, worum es geht, ist nichts zu tun.",
    ),
    (
        "Ihre Dokumente von {entity_name} sind bereit",
        "Guten Tag,\n\ndas Archiv mit den Dokumenten von **{entity_name}**, um das Sie gebeten \
         haben, ist fertig. Laden Sie es innerhalb von sieben Tagen herunter:\n\n{link}\n\nDer \
         Link gilt, solange Sie zu {entity_name} gehören. Bitte geben Sie ihn nicht weiter: Er \
         öffnet das Archiv ohne Passwort.",
    ),
];
