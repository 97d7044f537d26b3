//! Texts to and from the authority's web service of series, SeriesWS.
//!
//! Source: AT, "Comunicação de Séries Documentais", general and specific aspects, 1.0 of July 2021;
//! the service's WSDL.

use racun_kernel::calendar::{format_date, parse_date};
use roxmltree::Node;
use time::Date;

use crate::soap::{Unreadable, child, escaped, parse};
use crate::{CheckedSeries, Class, Code, PtSeries, SeriesCode, ValidationCode};

/// The namespace of requests and answers.
pub const NAMESPACE: &str = "http://at.gov.pt/";
/// The longest justification of a closed series, in characters.
const MAX_JUSTIFICATION_CHARS: usize = 4_000;

/// What a series is for, to the authority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeriesType {
    /// Documents as they are issued.
    Normal,
    /// Documents of trainees, which count for nothing.
    Training,
    /// Documents that were written by hand, and recovered.
    Recovery,
}

impl SeriesType {
    /// Its letter.
    #[must_use]
    pub const fn letter(self) -> &'static str {
        match self {
            Self::Normal => "N",
            Self::Training => "F",
            Self::Recovery => "R",
        }
    }
}

/// What is asked of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// `registarSerie`: a series is about to be used; the answer has its code.
    Register {
        /// Its identifier.
        series: SeriesCode,
        /// What it is for.
        kind: SeriesType,
        /// The type of its documents.
        code: Code,
        /// The sequence of its first document.
        first: i64,
        /// The day from which it is used: not before today.
        from: Date,
        /// The number of the program's certificate; 0 without one.
        certificate: u16,
    },
    /// `finalizarSerie`: the last document of a series was issued.
    Finalise {
        /// Its identifier.
        series: SeriesCode,
        /// The type of its documents.
        code: Code,
        /// Its validation code.
        validation: ValidationCode,
        /// The sequence of the last document.
        last: i64,
        /// Why.
        justification: Option<String>,
    },
    /// `anularSerie`: a series was registered in error, and nothing was issued in it.
    Annul {
        /// Its identifier.
        series: SeriesCode,
        /// The type of its documents.
        code: Code,
        /// Its validation code.
        validation: ValidationCode,
    },
    /// `consultarSeries`: which series of a type there are.
    Consult {
        /// One identifier; all when missing.
        series: Option<SeriesCode>,
        /// One type; all when missing.
        code: Option<Code>,
        /// In one state; in all when missing.
        state: Option<State>,
    },
}

/// In which state a series is at the authority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Documents are issued in it.
    Active,
    /// The last one was issued.
    Closed,
    /// It was registered in error.
    Annulled,
}

impl State {
    /// Its letter.
    #[must_use]
    pub const fn letter(self) -> &'static str {
        match self {
            Self::Active => "A",
            Self::Closed => "F",
            Self::Annulled => "N",
        }
    }

    fn from_letter(letter: &str) -> Option<Self> {
        [Self::Active, Self::Closed, Self::Annulled].into_iter().find(|own| own.letter() == letter)
    }
}

impl Request {
    /// How a new series is registered by the program with the certificate of this number. The
    /// authority takes no day before `today`.
    #[must_use]
    pub fn register(series: &CheckedSeries, certificate: u16, today: Date) -> Self {
        Self::Register {
            series: series.series_code.clone(),
            kind: if series.is_manual { SeriesType::Recovery } else { SeriesType::Normal },
            code: series.document_type.code(),
            first: series.initial_sequence,
            from: series.start_date.max(today),
            certificate,
        }
    }

    /// How `series` is closed after its document `last`; annulled when it has none.
    #[must_use]
    pub fn to_end(series: &PtSeries, last: Option<i64>) -> Self {
        let (code, validation) = (series.document_type.code(), series.validation_code.clone());
        let series = series.series_code.clone();
        match last {
            Some(last) => Self::Finalise { series, code, validation, last, justification: None },
            None => Self::Annul { series, code, validation },
        }
    }

    /// The operation.
    #[must_use]
    pub const fn operation(&self) -> &'static str {
        match self {
            Self::Register { .. } => "registarSerie",
            Self::Finalise { .. } => "finalizarSerie",
            Self::Annul { .. } => "anularSerie",
            Self::Consult { .. } => "consultarSeries",
        }
    }

    /// The content of the body of the SOAP envelope.
    #[must_use]
    pub fn body(&self) -> String {
        let operation = self.operation();
        let fields: String = self
            .fields()
            .into_iter()
            .map(|(name, value)| format!("<{name}>{}</{name}>", escaped(&value)))
            .collect();
        format!("<ns:{operation} xmlns:ns=\"{NAMESPACE}\">{fields}</ns:{operation}>")
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let kind = |code: &Code| {
            [("classeDoc", code.class().code().to_owned()), ("tipoDoc", code.text().to_owned())]
        };
        match self {
            Self::Register { series, kind: purpose, code, first, from, certificate } => {
                let mut fields =
                    vec![("serie", series.to_string()), ("tipoSerie", purpose.letter().into())];
                fields.extend(kind(code));
                fields.push(("numInicialSeq", first.to_string()));
                fields.push(("dataInicioPrevUtiliz", format_date(*from)));
                fields.push(("numCertSWFatur", certificate.to_string()));
                fields.push(("meioProcessamento", "PI".to_owned()));
                fields
            }
            Self::Finalise { series, code, validation, last, justification } => {
                let mut fields = vec![("serie", series.to_string())];
                fields.extend(kind(code));
                fields.push(("codValidacaoSerie", validation.to_string()));
                fields.push(("seqUltimoDocEmitido", last.to_string()));
                let cut = |text: &String| text.chars().take(MAX_JUSTIFICATION_CHARS).collect();
                fields.extend(justification.as_ref().map(|text| ("justificacao", cut(text))));
                fields
            }
            Self::Annul { series, code, validation } => {
                let mut fields = vec![("serie", series.to_string())];
                fields.extend(kind(code));
                fields.push(("codValidacaoSerie", validation.to_string()));
                fields.push(("motivo", "ER".to_owned()));
                fields.push(("declaracaoNaoEmissao", "true".to_owned()));
                fields
            }
            Self::Consult { series, code, state } => {
                let mut fields: Vec<(&str, String)> = Vec::new();
                fields.extend(series.as_ref().map(|series| ("serie", series.to_string())));
                fields.extend(code.iter().flat_map(kind));
                fields.extend(state.map(|state| ("estado", state.letter().to_owned())));
                fields
            }
        }
    }
}

/// What the service answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeriesReply {
    /// Its code: 2001 registered, 2002 consulted, 2003 annulled, 2004 closed; others refuse.
    pub code: u16,
    /// Its text.
    pub message: String,
    /// The series that it tells of.
    pub series: Vec<SeriesInfo>,
}

/// What the authority knows of a series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeriesInfo {
    /// Its identifier.
    pub series: String,
    /// The type of its documents.
    pub code: Code,
    /// Its validation code.
    pub validation: ValidationCode,
    /// Its state.
    pub state: State,
    /// The sequence of its first document.
    pub first: i64,
    /// That of its last one, when it is closed.
    pub last: Option<i64>,
    /// The day on which it was registered.
    pub registered_on: Date,
}

/// What a refusal means for who asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// It was done.
    Done,
    /// It was registered before: `consultarSeries` tells its code (4001).
    Known,
    /// The request is wrong: the same one is refused again.
    Wrong,
    /// The service failed: the same request may succeed later (5000).
    Failed,
}

impl SeriesReply {
    /// What it means.
    #[must_use]
    pub const fn meaning(&self) -> Meaning {
        match self.code {
            2001..=2004 => Meaning::Done,
            4001 => Meaning::Known,
            5000..=u16::MAX => Meaning::Failed,
            _ => Meaning::Wrong,
        }
    }

    /// Reads an answer: the SOAP message, or the content of its body.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        let unreadable = |what: &str| Unreadable(what.to_owned());
        let document = parse(text)?;
        let named = |name: &'static str| {
            document.descendants().filter(move |node| node.tag_name().name() == name)
        };
        let result =
            named("infoResultOper").next().ok_or_else(|| unreadable("no infoResultOper"))?;
        let code = child(result, "codResultOper").and_then(|text| text.parse().ok());
        let series: Option<Vec<_>> = named("infoSerie").map(SeriesInfo::read).collect();
        Ok(Self {
            code: code.ok_or_else(|| unreadable("no codResultOper"))?,
            message: child(result, "msgResultOper").unwrap_or_default().to_owned(),
            series: series.ok_or_else(|| unreadable("an infoSerie is not whole"))?,
        })
    }
}

impl SeriesInfo {
    fn read(node: Node<'_, '_>) -> Option<Self> {
        let text = |name: &str| child(node, name);
        let number = |name: &str| text(name).and_then(|text| text.parse().ok());
        let code = Code::from_text(text("tipoDoc")?)?;
        let class: Class = code.class();
        (text("classeDoc") == Some(class.code())).then_some(())?;
        Some(Self {
            series: text("serie")?.to_owned(),
            code,
            validation: ValidationCode::new(text("codValidacaoSerie")?).ok()?,
            state: State::from_letter(text("estado")?)?,
            first: number("numInicialSeq")?,
            last: number("seqUltimoDocEmitido"),
            registered_on: parse_date(text("dataRegisto")?).ok()?,
        })
    }
}
