//! A courier that answers what a test says, and keeps what it was to post.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use racun_webhooks::{Courier, Post, ReceiverResponse, Undelivered};

/// Answers 200 unless told otherwise; nothing at `http://10.…` is called.
#[derive(Default)]
pub struct Scripted {
    answers: Mutex<VecDeque<u16>>,
    posts: Mutex<Vec<Post>>,
}

impl Scripted {
    /// The next posts are answered so.
    pub fn answers(&self, statuses: impl IntoIterator<Item = u16>) {
        self.answers.lock().unwrap().extend(statuses);
    }

    /// What was posted since the last call.
    pub fn posts(&self) -> Vec<Post> {
        std::mem::take(&mut self.posts.lock().unwrap())
    }
}

#[async_trait]
impl Courier for Scripted {
    fn accepts(&self, url: &str) -> Result<(), Undelivered> {
        match url.starts_with("http://10.") {
            true => Err(Undelivered::Forbidden("it is not public".to_owned())),
            false => Ok(()),
        }
    }

    async fn post(&self, post: &Post) -> Result<ReceiverResponse, Undelivered> {
        self.posts.lock().unwrap().push(post.clone());
        let status = self.answers.lock().unwrap().pop_front().unwrap_or(200);
        Ok(ReceiverResponse { status, body: "taken".to_owned(), took: Duration::from_millis(3) })
    }
}
