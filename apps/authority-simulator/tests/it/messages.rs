//! Messages, signed and sent as a taxpayer's program does it.

use std::io;

use racun_authorities::xml::{self, KeyInfo, Profile};
use racun_authorities::{Certificate, RsaSigner, SignerName, Trust, jws};
use racun_authority_simulator::{Running, Taxpayer};
use serde_json::{Value, json};
use time::macros::format_description;
use time::{Duration, OffsetDateTime};

use crate::client::{Client, OIB, Response, TAX_NUMBER};

pub const FURS: &str = "http://www.fu.gov.si/";
pub const FINA: &str = "http://www.apis-it.hr/fin/2012/types/f73";
pub const MESSAGE_ID: &str = "24be947e-8d46-4918-8e87-65f27781fd9d";
pub const MARK: &str = "7e46dc0478b9f51a06ad3069abba1ce3";

pub const JSON: &str = "Content-Type: application/json; charset=UTF-8\r\n";

/// The headers of a SOAP message to FURS.
pub fn furs_soap(action: &str) -> String {
    format!("Content-Type: text/xml; charset=UTF-8\r\nSOAPAction: {action}\r\n")
}

/// The headers of a message to CIS.
pub fn fina_soap(operation: &str) -> String {
    format!(
        "Content-Type: text/xml; charset=utf-8\r\nSOAPAction: \"http://e-porezna.porezna-uprava.hr/\
         fiskalizacija/2012/services/FiskalizacijaService/{operation}\"\r\n"
    )
}

pub fn premise(name: &str, closes: bool) -> Value {
    let mut premise = json!({
        "TaxNumber": number(TAX_NUMBER), "BusinessPremiseID": name,
        "BPIdentifier": { "PremiseType": "C" }, "ValidityDate": "2026-01-01",
        "SoftwareSupplier": [{ "TaxNumber": number(TAX_NUMBER) }]
    });
    if closes {
        premise["ClosingTag"] = json!("Z");
    }
    json!({ "BusinessPremiseRequest": { "Header": header(), "BusinessPremise": premise } })
}

pub fn invoice(premise: &str, invoice_number: u32) -> Value {
    json!({ "InvoiceRequest": { "Header": header(), "Invoice": {
        "TaxNumber": number(TAX_NUMBER), "IssueDateTime": "2026-11-20T10:30:00",
        "NumberingStructure": "B",
        "InvoiceIdentifier": {
            "BusinessPremiseID": premise, "ElectronicDeviceID": "B1",
            "InvoiceNumber": invoice_number.to_string()
        },
        "InvoiceAmount": number("19.15"), "PaymentAmount": number("19.15"),
        "TaxesPerSeller": [{ "VAT": [{
            "TaxRate": number("22.00"), "TaxableAmount": number("15.70"),
            "TaxAmount": number("3.45")
        }] }],
        "OperatorTaxNumber": number("12345678"), "ProtectedID": MARK
    } } })
}

fn header() -> Value {
    json!({ "MessageID": MESSAGE_ID, "DateTime": "2026-11-20T10:30:01" })
}

/// A number with exactly these digits.
pub fn number(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A taxpayer's program.
pub struct Program<'a> {
    pub running: &'a Running,
    pub client: Client,
    certificate: Certificate,
    der: Vec<u8>,
    signer: RsaSigner,
}

impl<'a> Program<'a> {
    pub fn new(running: &'a Running, taxpayer: &Taxpayer) -> Self {
        Self {
            running,
            client: Client::with(running, taxpayer),
            certificate: Certificate::from_der(&taxpayer.certificate).unwrap(),
            der: taxpayer.certificate.clone(),
            signer: RsaSigner::new(&taxpayer.private_key).unwrap(),
        }
    }

    pub fn token(&self, payload: &Value) -> String {
        self.token_of_text(&payload.to_string())
    }

    pub fn token_of_text(&self, payload: &str) -> String {
        jws::sign(&jws::header(&self.certificate), payload, &self.signer).unwrap()
    }

    /// Sends a token, and answers what the verified answer says.
    pub async fn json(&self, path: &str, payload: &Value) -> Value {
        let response = self.json_raw(path, &self.token(payload)).await.unwrap();
        assert_eq!(response.status, 200);
        verified_token(self.running, &response)
    }

    pub async fn json_raw(&self, path: &str, token: &str) -> io::Result<Response> {
        let url = format!("{}/v1/cash_registers/{path}", self.running.furs_url);
        self.client.post(&url, JSON, json!({ "token": token }).to_string().as_bytes()).await
    }

    pub async fn register(&self, name: &str) {
        let answer = self.json("invoices/register", &premise(name, false)).await;
        assert_eq!(answer["BusinessPremiseResponse"]["Error"], Value::Null, "{answer}");
    }

    /// Signs the message to FURS and sends it.
    pub async fn furs(&self, action: &str, element: &str) -> io::Result<Response> {
        let envelope = format!(
            "<soapenv:Envelope xmlns:soapenv=\"http://schemas.xmlsoap.org/soap/envelope/\" \
             xmlns:fu=\"{FURS}\"><soapenv:Body>{element}</soapenv:Body></soapenv:Envelope>"
        );
        let (issuer, subject) =
            (self.certificate.issuer.dotnet(), self.certificate.subject.dotnet());
        let key = KeyInfo {
            certificate: None,
            issuer_serial: Some((&issuer, &self.certificate.serial)),
            subject: Some(&subject),
        };
        let signed = xml::sign(&envelope, Profile::FURS, &self.signer, &key).unwrap();
        let url = format!("{}/v1/cash_registers", self.running.furs_url);
        self.client.post(&url, &furs_soap(action), signed.as_bytes()).await
    }

    pub fn signed_for_fina(&self, element: &str) -> String {
        let envelope = format!(
            "<soapenv:Envelope xmlns:soapenv=\"http://schemas.xmlsoap.org/soap/envelope/\">\
             <soapenv:Body>{element}</soapenv:Body></soapenv:Envelope>"
        );
        let issuer = self.certificate.issuer.rfc4514();
        let key = KeyInfo {
            certificate: Some(&self.der),
            issuer_serial: Some((&issuer, &self.certificate.serial)),
            subject: None,
        };
        xml::sign(&envelope, Profile::FINA, &self.signer, &key).unwrap()
    }

    /// Signs the message to CIS and sends it.
    pub async fn fina(&self, operation: &str, element: &str) -> io::Result<Response> {
        let signed = self.signed_for_fina(element);
        self.fina_raw(operation, &signed).await
    }

    pub async fn fina_raw(&self, operation: &str, document: &str) -> io::Result<Response> {
        let client = Client::of(self.running);
        client.post(&self.running.fina_url, &fina_soap(operation), document.as_bytes()).await
    }
}

/// What a token says, verified as a client does.
pub fn verified_token(running: &Running, response: &Response) -> Value {
    let body = response.json();
    let token = jws::Token::parse(body["token"].as_str().unwrap()).unwrap();
    let trust = Trust::from_pem(&running.ca_pem).unwrap();
    let (certificate, key) = trust.key_of(token.certificates(), running.now()).unwrap();
    SignerName::FURS_TEST.check(&certificate).unwrap();
    assert_eq!(token.serial(), Some(&*certificate.serial));
    serde_json::from_slice(token.verify(&key).unwrap()).unwrap()
}

/// Verifies a SOAP answer as a client does.
pub fn verify_document(running: &Running, text: &str, signer: SignerName) {
    let document = xml::parse(text).unwrap();
    let element = xml::envelope(&document).unwrap();
    let signature = xml::Signature::of(&document, element, xml::Accepted::Sha256).unwrap();
    let trust = Trust::from_pem(&running.ca_pem).unwrap();
    let (certificate, key) = trust.key_of(signature.certificates(), running.now()).unwrap();
    signer.check(&certificate).unwrap();
    assert_eq!(signature.verify(&key).unwrap(), element);
}

/// The text between the first tags of this name.
pub fn tag<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    rest.split_once(&format!("</{name}>")).map(|(inside, _)| inside)
}

/// A moment as CIS writes it. Zagreb is an hour or two ahead of UTC; near enough for what is
/// tested.
pub fn croatian(at: OffsetDateTime) -> String {
    let local = at + Duration::hours(1);
    local.format(format_description!("[day].[month].[year]T[hour]:[minute]:[second]")).unwrap()
}

/// A receipt of a business that is not in the VAT system, and what follows its last field.
pub struct Receipt {
    pub oib: String,
    pub issued: String,
    pub number: String,
    pub total: String,
    pub means: &'static str,
    pub late: bool,
    pub more: String,
}

impl Receipt {
    pub fn new(issued: OffsetDateTime, number: u32) -> Self {
        Self {
            oib: OIB.to_owned(),
            issued: croatian(issued),
            number: number.to_string(),
            total: "125.00".to_owned(),
            means: "G",
            late: false,
            more: String::new(),
        }
    }

    /// The element of this root.
    pub fn element(&self, root: &str) -> String {
        let Self { oib, issued, number, total, means, late, more } = self;
        format!(
            "<tns:{root} xmlns:tns=\"{FINA}\" Id=\"{root}\"><tns:Zaglavlje><tns:IdPoruke>\
             {MESSAGE_ID}</tns:IdPoruke><tns:DatumVrijeme>{issued}</tns:DatumVrijeme>\
             </tns:Zaglavlje><tns:Racun><tns:Oib>{oib}</tns:Oib><tns:USustPdv>false</tns:USustPdv>\
             <tns:DatVrijeme>{issued}</tns:DatVrijeme><tns:OznSlijed>N</tns:OznSlijed><tns:BrRac>\
             <tns:BrOznRac>{number}</tns:BrOznRac><tns:OznPosPr>P1</tns:OznPosPr><tns:OznNapUr>1\
             </tns:OznNapUr></tns:BrRac><tns:IznosUkupno>{total}</tns:IznosUkupno><tns:NacinPlac>\
             {means}</tns:NacinPlac><tns:OibOper>{OIB}</tns:OibOper><tns:ZastKod>{MARK}\
             </tns:ZastKod><tns:NakDost>{late}</tns:NakDost>{more}</tns:Racun></tns:{root}>"
        )
    }
}
