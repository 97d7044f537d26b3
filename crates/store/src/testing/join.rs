//! Futures that run side by side, without a runtime of one's own.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

/// What `futures` answer, in their order; all of them are under way at once.
pub(super) async fn join_all<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut running: Vec<Pin<Box<F>>> = futures.into_iter().map(Box::pin).collect();
    let mut answers: Vec<Option<F::Output>> = running.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (answer, future) in answers.iter_mut().zip(&mut running) {
            if answer.is_none()
                && let Poll::Ready(output) = future.as_mut().poll(context)
            {
                *answer = Some(output);
            }
        }
        if answers.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    answers.into_iter().flatten().collect()
}

/// Starts `future` and drops it before it answered, as a server does when its client hangs up.
pub(super) async fn start_and_drop<F: Future>(future: F) {
    let mut future = Box::pin(future);
    poll_fn(|context| {
        let _: Poll<F::Output> = future.as_mut().poll(context);
        Poll::Ready(())
    })
    .await;
}
