//! The service of series.

use racun_portugal::series_ws::NAMESPACE;
use racun_portugal::{Code, Region, SeriesCode};
use roxmltree::Node;
use serde_json::Value;

use super::caller::Caller;
use crate::fault::Fault;
use crate::pki::certificate::random;
use crate::register::{AtRefused, Kept, KnownSeries, SeriesKey};
use crate::schema::{self, at};
use crate::soap::escaped;
use crate::state::{MessageError, State};

/// Letters of codes: none that looks like another one.
const LETTERS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// What was done, and the series that it was done to.
type Done = (&'static str, String, Vec<KnownSeries>);

/// The body of the answer; `None` of what is no request.
pub fn answer(
    state: &State,
    element: Node<'_, '_>,
    caller: &Caller,
    fault: Option<&Fault>,
) -> Option<String> {
    let operation = ["registarSerie", "finalizarSerie", "anularSerie", "consultarSeries"]
        .into_iter()
        .find(|name| element.has_tag_name((NAMESPACE, *name)))?;
    let parts = match operation {
        "registarSerie" => at::REGISTER,
        "finalizarSerie" => at::FINALISE,
        "anularSerie" => at::ANNUL,
        _ => at::CONSULT,
    };
    let outcome = match fault {
        Some(Fault::Code(code, text)) => Err(MessageError::new(code, text.clone())),
        _ => schema::xml(element, "", parts)
            .map_err(|invalid| MessageError::new("4000", invalid.to_string()))
            .and_then(|asked| {
                let kept = &mut state.at.kept();
                Desk { state, caller, asked: &asked, kept }.settle(operation)
            }),
    };
    if let Err(refusal) = &outcome {
        state.at.kept().refuse(AtRefused {
            operation: "series".to_owned(),
            received_at: state.clock.now(),
            code: refusal.code.clone(),
            text: refusal.text.clone(),
        });
    }
    Some(written(operation, outcome))
}

fn written(operation: &str, outcome: Result<Done, MessageError>) -> String {
    let (code, text, series) = match outcome {
        Ok((code, text, series)) => (code.to_owned(), text, series),
        Err(MessageError { code, text }) => (code, text, Vec::new()),
    };
    let text: String = text.chars().take(250).collect();
    let series: String = series.iter().map(described).collect();
    format!(
        "<ns:{operation}Response xmlns:ns=\"{NAMESPACE}\"><{operation}Resp>{series}\
         <infoResultOper><codResultOper>{}</codResultOper><msgResultOper>{}</msgResultOper>\
         </infoResultOper></{operation}Resp></ns:{operation}Response>",
        escaped(&code),
        escaped(&text)
    )
}

fn described(series: &KnownSeries) -> String {
    let last = series.last.map_or_else(String::new, |last| {
        format!("<seqUltimoDocEmitido>{last}</seqUltimoDocEmitido>")
    });
    format!(
        "<infoSerie><serie>{}</serie><tipoSerie>{}</tipoSerie><classeDoc>{}</classeDoc>\
         <tipoDoc>{}</tipoDoc><numInicialSeq>{}</numInicialSeq>\
         <dataInicioPrevUtiliz>{}</dataInicioPrevUtiliz>{last}\
         <meioProcessamento>PI</meioProcessamento><numCertSWFatur>{}</numCertSWFatur>\
         <codValidacaoSerie>{}</codValidacaoSerie><dataRegisto>{}</dataRegisto>\
         <estado>{}</estado><dataEstado>{}</dataEstado><nifComunicou>{}</nifComunicou></infoSerie>",
        escaped(&series.series),
        series.kind,
        series.class,
        series.code,
        series.first,
        series.from,
        series.certificate,
        series.validation,
        series.registered_on,
        series.state,
        series.since,
        series.taxpayer,
    )
}

/// One request, with what is kept.
struct Desk<'a> {
    state: &'a State,
    caller: &'a Caller,
    asked: &'a Value,
    kept: &'a mut Kept,
}

impl Desk<'_> {
    fn settle(&mut self, operation: &str) -> Result<Done, MessageError> {
        match operation {
            "registarSerie" => self.register(),
            "finalizarSerie" => self.finalise(),
            "anularSerie" => self.annul(),
            _ => Ok(self.consult()),
        }
    }

    fn text(&self, name: &str) -> &str {
        self.asked[name].as_str().unwrap_or_default()
    }

    fn number(&self, name: &str) -> u64 {
        self.text(name).parse().unwrap_or(u64::MAX)
    }

    fn key(&self) -> SeriesKey {
        let series = self.text("serie").to_ascii_uppercase();
        (self.caller.nif.clone(), series, self.text("tipoDoc").to_owned())
    }

    /// Today, and now, on the authority's wall.
    fn today(&self) -> (String, String) {
        let now = self.state.clock.local_in(Region::Mainland.zone());
        (now.date().to_string(), now.strftime("%Y-%m-%dT%H:%M:%S.%3f").to_string())
    }

    fn check_code(&self) -> Result<(), MessageError> {
        let class = self.text("classeDoc");
        if !["SI", "MG", "WD", "PY"].contains(&class) {
            return Err(MessageError::new("4045", "A classe de documento indicada não existe."));
        }
        let code = Code::from_text(self.text("tipoDoc"));
        if code.is_none_or(|code| code.class().code() != class) {
            let text = "O tipo de documento não corresponde à classe indicada.";
            return Err(MessageError::new("4046", text));
        }
        Ok(())
    }

    fn register(&mut self) -> Result<Done, MessageError> {
        self.check_code()?;
        let wrong =
            |what: &str| MessageError::new("4003", format!("Campo com valor inválido: {what}"));
        let series = SeriesCode::new(self.text("serie")).map_err(|_| wrong("serie"))?;
        if !["N", "F", "R"].contains(&self.text("tipoSerie")) {
            return Err(wrong("tipoSerie"));
        }
        let first = self.number("numInicialSeq");
        if first == 0 || first == u64::MAX {
            return Err(wrong("numInicialSeq"));
        }
        if self.text("meioProcessamento") != "PI" {
            return Err(wrong("meioProcessamento"));
        }
        let (today, now) = self.today();
        if self.text("dataInicioPrevUtiliz") < today.as_str() {
            let text = "A data de início prevista não pode ser anterior à data atual.";
            return Err(MessageError::new("4049", text));
        }
        let key = self.key();
        if self.kept.series.get(&key).is_some_and(|known| known.state != "N") {
            let text = format!(
                "Não foi possível registar a Série. A Série {series} indicada para o tipo de \
                 documento {} já foi registada.",
                key.2
            );
            return Err(MessageError::new("4001", text));
        }
        let known = KnownSeries {
            taxpayer: self.caller.nif.clone(),
            series: series.to_string(),
            kind: self.text("tipoSerie").to_owned(),
            class: self.text("classeDoc").to_owned(),
            code: key.2.clone(),
            first,
            last: None,
            from: self.text("dataInicioPrevUtiliz").to_owned(),
            certificate: self.text("numCertSWFatur").to_owned(),
            validation: validation_code(),
            registered_on: today,
            state: "A".to_owned(),
            since: now,
        };
        let text = format!(
            "Série registada com sucesso. O estado ficou ativo e foi atribuído o seguinte código \
             de validação: {}",
            known.validation
        );
        self.kept.series.insert(key, known.clone());
        Ok(("2001", text, vec![known]))
    }

    /// The series that the request names; `None` where what was before the start is believed.
    fn named(&self, refusal: &str) -> Result<Option<KnownSeries>, MessageError> {
        self.check_code()?;
        let not = || MessageError::new(refusal, "A Série indicada não existe ou não está ativa.");
        match self.kept.series.get(&self.key()) {
            Some(known) => {
                let is_it = known.validation == self.text("codValidacaoSerie");
                if is_it && known.state == "A" { Ok(Some(known.clone())) } else { Err(not()) }
            }
            None if self.state.is_forgetful => Ok(None),
            None => Err(not()),
        }
    }

    fn finalise(&mut self) -> Result<Done, MessageError> {
        let known = self.named("4005")?;
        let last = self.number("seqUltimoDocEmitido");
        if known.as_ref().is_some_and(|known| last < known.first) {
            let text = "O valor indicado no último documento emitido deve ser superior ao indicado \
                        no início da sequência.";
            return Err(MessageError::new("4047", text));
        }
        Ok(("2004", "Série finalizada com sucesso.".to_owned(), self.end(known, "F", Some(last))))
    }

    fn annul(&mut self) -> Result<Done, MessageError> {
        let known = self.named("4004")?;
        if self.text("motivo") != "ER" {
            return Err(MessageError::new("4051", "O motivo indicado não existe."));
        }
        let is_declared = matches!(self.text("declaracaoNaoEmissao"), "true" | "1");
        let code = self.text("codValidacaoSerie");
        let is_used = |atcud: &str| atcud.split('-').next() == Some(code);
        if !is_declared || self.kept.reported.values().any(|own| is_used(&own.atcud)) {
            return Err(MessageError::new("4004", "Não é possível anular a comunicação da Série."));
        }
        Ok(("2003", "Série anulada com sucesso.".to_owned(), self.end(known, "N", None)))
    }

    fn end(
        &mut self,
        known: Option<KnownSeries>,
        state: &str,
        last: Option<u64>,
    ) -> Vec<KnownSeries> {
        let Some(known) = known else { return Vec::new() };
        let since = self.today().1;
        let ended = KnownSeries { state: state.to_owned(), since, last, ..known };
        self.kept.series.insert(self.key(), ended.clone());
        vec![ended]
    }

    fn consult(&self) -> Done {
        let fits = |name: &str, value: &str| {
            let asked = self.text(name);
            asked.is_empty() || asked.eq_ignore_ascii_case(value)
        };
        let own = |series: &&KnownSeries| {
            series.taxpayer == self.caller.nif
                && fits("serie", &series.series)
                && fits("tipoSerie", &series.kind)
                && fits("classeDoc", &series.class)
                && fits("tipoDoc", &series.code)
                && fits("codValidacaoSerie", &series.validation)
                && fits("estado", &series.state)
        };
        let found: Vec<KnownSeries> = self.kept.series.values().filter(own).cloned().collect();
        ("2002", "Consulta efetuada com sucesso.".to_owned(), found)
    }
}

fn validation_code() -> String {
    let letter = |byte: u8| char::from(LETTERS[usize::from(byte % 32)]);
    random::<8>().into_iter().map(letter).collect()
}
