//! Documents set as PDF, off the threads that answer requests.

use std::num::NonZero;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use racun_delivery::printing::{CannotPrint, PrintPdf};
use racun_paper::{Modules, Paper, Picture};
use racun_render::Text;
use racun_typeset::{TypesetError, Typesetter};
use tokio::sync::Semaphore;

/// Sets documents, a bounded number at once.
#[derive(Debug)]
pub struct Press {
    /// Made for the first document, so that a server which prints none reads no fonts.
    typesetter: Arc<OnceLock<Typesetter>>,
    turns: Arc<Semaphore>,
}

impl Press {
    /// A press that leaves one processor to requests where there are several.
    pub fn new() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        let turns = Semaphore::new(processors.saturating_sub(1).max(1));
        Self { typesetter: Arc::default(), turns: Arc::new(turns) }
    }

    async fn set<T: Send + 'static>(
        &self,
        set: impl FnOnce(&Typesetter) -> Result<T, TypesetError> + Send + 'static,
    ) -> Result<T, CannotPrint> {
        // The semaphore is never closed, so there is always a turn. The work keeps it: a caller
        // that gives up ends neither the work nor its turn.
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        let typesetter = Arc::clone(&self.typesetter);
        let work = move || {
            let _turn = turn;
            set(ready(&typesetter)?)
        };
        match tokio::task::spawn_blocking(work).await {
            Ok(made) => made.map_err(|error| CannotPrint(error.to_string())),
            Err(error) => Err(CannotPrint(error.to_string())),
        }
    }
}

/// The typesetter, made when there is none yet.
fn ready(typesetter: &OnceLock<Typesetter>) -> Result<&Typesetter, TypesetError> {
    if let Some(made) = typesetter.get() {
        return Ok(made);
    }
    let made = Typesetter::new()?;
    Ok(typesetter.get_or_init(|| made))
}

#[async_trait]
impl PrintPdf for Press {
    async fn print(&self, paper: Paper) -> Result<Vec<u8>, CannotPrint> {
        self.set(move |typesetter| typesetter.paper(&paper)).await
    }

    async fn print_hybrid(&self, paper: Paper, invoice: String) -> Result<Vec<u8>, CannotPrint> {
        self.set(move |typesetter| typesetter.hybrid(&paper, invoice)).await
    }

    async fn print_text(&self, text: Text) -> Result<Vec<u8>, CannotPrint> {
        self.set(move |typesetter| typesetter.text(&text)).await
    }

    async fn small(&self, picture: Picture) -> Option<Picture> {
        self.set(move |typesetter| Ok(typesetter.small(&picture))).await.ok()?
    }

    async fn dots(&self, picture: Picture, most: (u32, u32)) -> Option<Modules> {
        self.set(move |typesetter| Ok(typesetter.dots(&picture, most))).await.ok()?
    }
}
