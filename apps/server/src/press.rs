//! Documents set as PDF, off the threads that answer requests.

use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use anyhow::Context as _;
use async_trait::async_trait;
use racun_delivery::printing::{CannotPrint, PrintPdf};
use racun_paper::{Modules, Paper, Picture};
use racun_render::Text;
use racun_typeset::{TypesetError, Typesetter};
use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::{Semaphore, oneshot};

/// Why a document is refused in whose setting there was a panic.
const PANICKED: &str = "setting it panicked";

/// Sets documents, as many at once as it has threads.
#[derive(Debug)]
pub struct Press {
    /// Made for the first document, so that a server which prints none reads no fonts.
    typesetter: Arc<OnceLock<Typesetter>>,
    /// Those of a pool, so that what typst hands to other threads, as the parts of a file that are
    /// compressed, stays on these.
    threads: ThreadPool,
    turns: Arc<Semaphore>,
}

impl Press {
    /// A press that leaves one processor to requests where there are several.
    ///
    /// # Errors
    /// When its threads cannot be started.
    pub fn new() -> anyhow::Result<Self> {
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        let threads = processors.saturating_sub(1).max(1);
        let pool = ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.thread_name(|_| "racun-press".to_owned()).build();
        let pool = pool.context("threads that set documents cannot be started")?;
        let turns = Arc::new(Semaphore::new(threads));
        Ok(Self { typesetter: Arc::default(), threads: pool, turns })
    }

    async fn set<T: Send + 'static>(
        &self,
        set: impl FnOnce(&Typesetter) -> Result<T, TypesetError> + Send + 'static,
    ) -> Result<T, CannotPrint> {
        // The semaphore is never closed, so there is always a turn. The work keeps it: a caller
        // that gives up ends neither the work nor its turn.
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        let typesetter = Arc::clone(&self.typesetter);
        let (sender, made) = oneshot::channel();
        self.threads.spawn(move || {
            let made = catch_unwind(AssertUnwindSafe(|| set(ready(&typesetter)?)));
            drop(turn);
            // After a panic nothing is sent.
            if let Ok(made) = made {
                // The caller may have given up.
                let _ = sender.send(made);
            }
        });
        let made = made.await.map_err(|_| CannotPrint(PANICKED.to_owned()))?;
        made.map_err(|error| CannotPrint(error.to_string()))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_typst_hands_on_stays_on_the_threads_of_the_press() {
        let press = Press::new().unwrap();
        let thread = || std::thread::current().name().map(str::to_owned);
        let seen = press.set(move |_| Ok((thread(), rayon::current_num_threads()))).await.unwrap();
        let threads = press.threads.current_num_threads();
        assert_eq!(seen, (Some("racun-press".to_owned()), threads));
        assert_eq!(press.turns.available_permits(), threads);
    }

    #[tokio::test]
    async fn a_document_that_panics_is_refused_and_the_next_one_is_set() {
        let press = Press::new().unwrap();
        for _ in 0..3 {
            let refused = press.set::<()>(|_| panic!("on purpose")).await;
            assert_eq!(refused, Err(CannotPrint(PANICKED.to_owned())));
            assert_eq!(press.set(|_| Ok(7)).await.unwrap(), 7);
        }
        assert_eq!(press.turns.available_permits(), press.threads.current_num_threads());
    }
}
