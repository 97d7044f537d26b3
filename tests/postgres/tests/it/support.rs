//! SQL for the tests.

use std::fmt::Display;

use tokio_postgres::{NoTls, SimpleQueryMessage};

/// Runs statements on a connection of their own; the first column of the last row that they give.
pub fn query(url: impl Display, sql: &str) -> Result<Option<String>, tokio_postgres::Error> {
    let url = url.to_string();
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
        let connection = tokio::spawn(connection);
        let messages = client.simple_query(sql).await?;
        drop(client);
        connection.await.expect("the connection's task")?;
        Ok(messages.into_iter().rev().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        }))
    })
}
