//! Messages, clients, and answers that are right.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use racun_authorities::xml::{self, KeyInfo, Profile};
use racun_authorities::{Clients, Endpoint, Endpoints, Systems, Transport, jws};
use racun_fiscal::{
    Authorities, Authority, Header, Identity, Message, MessageId, Numbering, Patience,
    PlaceOfIssue, Reply, Sale, SaleKind, Unknown, fina, furs,
};
use racun_kernel::{Decimal, Environment, PaymentType};
use time::OffsetDateTime;
use time::macros::{date, datetime};

use crate::server::Received;
use crate::support::{FINA, FURS, fina_key, furs_key, signing, text};

/// The id that CIS and FURS give in right answers.
pub const ID: &str = "3394b8fd-8ab8-4445-bb22-c5cf8adfe4ad";

/// A way to send a message, and a message for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    FursSoap,
    FursJson,
    FursPremise,
    Fina,
    FinaChange,
    FinaTip,
}

impl Way {
    pub const ALL: [Self; 6] = [
        Self::FursSoap,
        Self::FursJson,
        Self::FursPremise,
        Self::Fina,
        Self::FinaChange,
        Self::FinaTip,
    ];

    pub fn authority(self) -> Authority {
        match self {
            Self::FursSoap | Self::FursJson | Self::FursPremise => Authority::Furs,
            Self::Fina | Self::FinaChange | Self::FinaTip => Authority::Fina,
        }
    }

    pub fn identity(self) -> Identity {
        match self.authority() {
            Authority::Furs => furs_key("pub_a"),
            Authority::Fina => fina_key("public_taxpayer"),
        }
    }

    pub fn message(self) -> Message {
        match self {
            Self::FursSoap | Self::FursJson => {
                Message::FursInvoice { invoice: Box::new(invoice()), subsequent: false }
            }
            Self::FursPremise => Message::FursPremise(Box::new(premise())),
            Self::Fina => Message::FinaReceipt { receipt: Box::new(receipt()), late: true },
            Self::FinaChange => {
                Message::FinaChange(Box::new(receipt().change(fina::PaymentMeans::K, None, false)))
            }
            Self::FinaTip => {
                let tip = receipt().tip(Decimal::from(5), fina::PaymentMeans::K, false);
                Message::FinaTip(Box::new(tip))
            }
        }
    }

    /// Clients whose test system of this way is at `url`.
    pub fn clients(self, url: &str, timeout: Duration) -> Clients {
        let pem = |name: &str| text(&FURS["keys"][name], "cert_pem").to_owned();
        let trusted = |name: &str| text(&FINA["trust"], name).to_owned();
        let all = pem("mock_root")
            + &pem("mock_sigov_ca")
            + &trusted("root_ca_pem")
            + &trusted("sub_ca_pem");
        self.clients_that_trust(url, timeout, all)
    }

    pub fn clients_that_trust(self, url: &str, timeout: Duration, pem: String) -> Clients {
        let transport = if self == Self::FursJson { Transport::Json } else { Transport::Soap };
        let endpoint = Endpoint { ca_pem: Some(pem), transport, timeout, ..Endpoint::new(url) };
        let none = Systems { test: None, production: None };
        let test = Systems { test: Some(endpoint), production: None };
        let endpoints = match self.authority() {
            Authority::Furs => Endpoints { furs: test, fina: none },
            Authority::Fina => Endpoints { furs: none, fina: test },
        };
        let clock = Arc::new(|| OffsetDateTime::from(SystemTime::now()));
        Clients::new(&endpoints, clock).unwrap()
    }

    pub async fn send(self, clients: &Clients) -> Result<Reply, Unknown> {
        let (identity, message) = (self.identity(), self.message());
        let patience = Patience::Interactive;
        clients.send(Environment::Sandbox, &identity, &header(), &message, patience).await
    }

    /// The right answer to a request.
    pub fn answer(self, request: &Received) -> String {
        self.answer_to(&self.message_id(request))
    }

    /// The message id of a request.
    pub fn message_id(self, request: &Received) -> String {
        let between = |text: &str, start: &str, end: &str| {
            let (_, rest) = text.split_once(start).unwrap();
            rest.split_once(end).unwrap().0.to_owned()
        };
        match self {
            Self::FursSoap | Self::FursPremise => {
                between(&request.body, "<fu:MessageID>", "</fu:MessageID>")
            }
            Self::FursJson => {
                let payload = request.body.split('.').nth(1).unwrap();
                let payload =
                    base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(payload).unwrap();
                between(std::str::from_utf8(&payload).unwrap(), "\"MessageID\":\"", "\"")
            }
            Self::Fina | Self::FinaChange | Self::FinaTip => {
                between(&request.body, "<tns:IdPoruke>", "</tns:IdPoruke>")
            }
        }
    }

    /// The right answer to the message `id`.
    pub fn answer_to(self, id: &str) -> String {
        let head = format!(
            "<fu:Header><fu:MessageID>{id}</fu:MessageID>\
             <fu:DateTime>2026-11-20T16:04:27</fu:DateTime></fu:Header>"
        );
        let zaglavlje = format!(
            "<tns:Zaglavlje><tns:IdPoruke>{id}</tns:IdPoruke>\
             <tns:DatumVrijeme>20.11.2026T16:04:27</tns:DatumVrijeme></tns:Zaglavlje>"
        );
        match self {
            Self::FursSoap => soap_of_furs(
                "InvoiceResponse",
                &format!("{head}<fu:UniqueInvoiceID>{ID}</fu:UniqueInvoiceID>"),
            ),
            Self::FursPremise => soap_of_furs("BusinessPremiseResponse", &head),
            Self::FursJson => json_of_furs(&format!(
                concat!(
                    r#"{{"InvoiceResponse":{{"Header":{{"MessageID":"{id}","#,
                    r#""DateTime":"2026-11-20T16:04:27"}},"UniqueInvoiceID":"{unique}"}}}}"#,
                ),
                id = id,
                unique = ID,
            )),
            Self::Fina => {
                soap_of_cis("RacunOdgovor", &format!("{zaglavlje}<tns:Jir>{ID}</tns:Jir>"))
            }
            Self::FinaChange => {
                soap_of_cis("PromijeniPodatkeRacunaOdgovor", &success(&zaglavlje, "P005"))
            }
            Self::FinaTip => soap_of_cis("NapojnicaOdgovor", &success(&zaglavlje, "p002")),
        }
    }

    pub fn kind(self) -> &'static str {
        if self == Self::FursJson { "application/json; charset=UTF-8" } else { "text/xml" }
    }
}

/// What CIS confirms a message by that gets no id, after the head of its answer.
pub fn success(head: &str, code: &str) -> String {
    format!(
        "{head}<tns:PorukaOdgovora><tns:SifraPoruke>{code}</tns:SifraPoruke>\
         <tns:Poruka>Uspješno.</tns:Poruka></tns:PorukaOdgovora>"
    )
}

/// An answer of FURS with this content, signed.
pub fn soap_of_furs(root: &str, content: &str) -> String {
    let document = format!(
        "<soapenv:Envelope xmlns:soapenv=\"{}\" xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\" \
         xmlns:fu=\"http://www.fu.gov.si/\"><soapenv:Body><fu:{root} Id=\"data\">{content}\
         </fu:{root}></soapenv:Body></soapenv:Envelope>",
        xml::SOAP
    );
    signed(&document, Profile::FURS, &furs_key("mock_furs_signer"))
}

/// An answer of CIS with this content, signed.
pub fn soap_of_cis(root: &str, content: &str) -> String {
    signed(&unsigned_of_cis(root, content), Profile::CIS, &fina_key("public_cis_signer"))
}

/// The same before it is signed.
pub fn unsigned_of_cis(root: &str, content: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<soap:Envelope xmlns:soap=\"{}\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><soap:Body><tns:{root} \
         xmlns:tns=\"http://www.apis-it.hr/fin/2012/types/f73\" Id=\"G0x7f4b71d6f100-4D\">{content}\
         </tns:{root}></soap:Body></soap:Envelope>",
        xml::SOAP
    )
}

/// Signs an envelope as `identity`.
pub fn signed(document: &str, profile: Profile, identity: &Identity) -> String {
    let (signer, _) = signing(identity);
    let key = KeyInfo { certificate: Some(&identity.certificate), ..KeyInfo::default() };
    xml::sign(document, profile, &signer, &key).unwrap()
}

/// An answer of FURS with this payload, signed.
pub fn json_of_furs(payload: &str) -> String {
    let identity = furs_key("mock_furs_signer");
    let (signer, _) = signing(&identity);
    let certificate = STANDARD.encode(&identity.certificate);
    let header = format!(r#"{{"alg":"RS256","x5c":["{certificate}"]}}"#);
    format!(r#"{{"token":"{}"}}"#, jws::sign(&header, payload, &signer).unwrap())
}

pub fn header() -> Header {
    Header {
        message_id: MessageId::from("f454e661-11f6-45a2-8e01-f3c1318c3c1d".to_owned()),
        sent_at: datetime!(2026-11-20 16:04:26 +1),
    }
}

fn sale() -> Sale {
    Sale {
        kind: SaleKind::Invoice,
        total: Decimal::from(100),
        taxes: Vec::new(),
        exempt: Decimal::from(100),
        reverse_charge: Decimal::from(0),
        untaxed: Decimal::from(0),
        consumption: Vec::new(),
        margin: Decimal::zero(),
        settled: Decimal::zero(),
        buyer: None,
        means: vec![PaymentType::Cash],
        corrects: Vec::new(),
    }
}

fn place(device: &str) -> PlaceOfIssue {
    PlaceOfIssue {
        premise: "BP1".to_owned(),
        device: device.to_owned(),
        numbering: Numbering::PerDevice,
    }
}

pub fn invoice() -> furs::Invoice {
    let (signer, _) = signing(&furs_key("pub_a"));
    let arguments = furs::IssueArguments {
        sale: &sale(),
        tax_number: "10039856".to_owned(),
        place: place("B1"),
        number: 11,
        issued_at: datetime!(2026-11-20 16:04:25 +1),
        operator: furs::Operator::TaxNumber("12345678".to_owned()),
        special_notes: Some("<Ž & č>".to_owned()),
    };
    furs::Invoice::issue(arguments, &signer).unwrap()
}

fn premise() -> furs::Premise {
    furs::Premise {
        tax_number: "10039856".to_owned(),
        name: "BP1".to_owned(),
        kind: furs::PremiseKind::Movable(furs::MovableKind::C),
        valid_from: date!(2026 - 11 - 20),
        is_closing: false,
        software_maker: furs::SoftwareMaker::default(),
    }
}

pub fn receipt() -> fina::Receipt {
    let (signer, certificate) = signing(&fina_key("public_taxpayer"));
    let arguments = fina::IssueArguments {
        sale: &sale(),
        payment_type: None,
        oib: "12345678903".to_owned(),
        in_vat_system: true,
        place: place("1"),
        number: 7,
        issued_at: datetime!(2026-11-20 16:04:25 +1),
        operator_oib: "12345678903".to_owned(),
        certificate: certificate.serial,
        paragon: None,
    };
    fina::Receipt::issue(arguments, &signer).unwrap()
}
