//! Bytes of files in a folder, and in a bucket of a stand-in that speaks as much S3 as is needed.

use std::collections::HashMap;
use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::{Arc, Mutex};

use racun_catalog::FileStorage as _;
use racun_gateways::{Bucket, Files};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// What a bucket holds, by path.
type Objects = Arc<Mutex<HashMap<String, Vec<u8>>>>;

async fn law(files: &Files) {
    let (one, two) = ("ent_1/file_1", "ent_2/file_1");
    assert_eq!(files.get(one).await.unwrap(), None);
    files.delete(one).await.unwrap();
    let content: Vec<u8> = (0..=255).cycle().take(300_000).collect();
    files.put(one, content.clone()).await.unwrap();
    files.put(two, Vec::new()).await.unwrap();
    assert_eq!(files.get(one).await.unwrap(), Some(content));
    assert_eq!(files.get(two).await.unwrap(), Some(Vec::new()));
    files.delete(one).await.unwrap();
    assert_eq!(files.get(one).await.unwrap(), None);
    assert_eq!(files.get(two).await.unwrap(), Some(Vec::new()));
}

#[tokio::test]
async fn a_folder_keeps_what_it_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data/files");
    let files = Files::in_folder(path.clone());
    assert!(!path.exists(), "nothing is made before it is needed");
    law(&files).await;
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
    // Another process finds it again.
    let again = Files::in_folder(path);
    assert_eq!(again.get("ent_2/file_1").await.unwrap(), Some(Vec::new()));
    for key in ["../outside", "a/../../outside", "a//b", "a/./b"] {
        assert!(again.put(key, Vec::new()).await.is_err(), "{key}");
    }
    assert!(!folder.path().join("data/outside").exists());
}

#[tokio::test]
async fn a_folder_that_is_none_is_an_error_and_not_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let files = Files::in_folder(file);
    assert!(files.put("a", Vec::new()).await.is_err());
    assert!(files.get("a").await.is_err());
}

#[tokio::test]
async fn a_bucket_keeps_what_it_is_given() {
    let objects = Objects::default();
    let address = stand_in(Arc::clone(&objects)).await;
    law(&Files::in_bucket(&bucket(&format!("http://{address}"))).unwrap()).await;
    let paths: Vec<String> = objects.lock().unwrap().keys().cloned().collect();
    assert_eq!(paths, ["/racun-files/ent_2/file_1"]);
}

#[tokio::test]
async fn a_bucket_that_is_away_or_says_no_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let away = Files::in_bucket(&bucket(&format!("http://{address}"))).unwrap();
    assert!(away.put("a", Vec::new()).await.is_err());
    let address = stand_in(Objects::default()).await;
    let stranger =
        Bucket { access_key_id: "stranger".to_owned(), ..bucket(&format!("http://{address}")) };
    let stranger = Files::in_bucket(&stranger).unwrap();
    let error = stranger.put("a", Vec::new()).await.unwrap_err();
    assert!(!error.to_string().contains("hush"), "{error}");
    assert!(stranger.get("a").await.is_err(), "403 does not mean that there is nothing");
    assert!(!format!("{:?}", bucket("http://a")).contains("hush"));
}

fn bucket(endpoint: &str) -> Bucket {
    Bucket {
        endpoint: Some(endpoint.to_owned()),
        name: "racun-files".to_owned(),
        region: "us-east-1".to_owned(),
        access_key_id: "key".to_owned(),
        secret_access_key: "hush".to_owned(),
    }
}

async fn stand_in(objects: Objects) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream, Arc::clone(&objects)));
        }
    });
    address
}

/// Answers `PUT`, `GET` and `DELETE` of clients that sign as `key`.
async fn serve(stream: TcpStream, objects: Objects) {
    let mut stream = BufReader::new(stream);
    loop {
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
                return;
            }
            match line.trim_end() {
                "" => break,
                line => head.push(line.to_owned()),
            }
        }
        let header = |name: &str| {
            head.iter()
                .find_map(|line| line.strip_prefix(name))
                .map(|value| value.trim().to_owned())
        };
        let length = header("content-length:").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.unwrap();
        let mut words = head[0].split(' ');
        let (method, path) = (words.next().unwrap(), words.next().unwrap());
        let signed = header("authorization:").unwrap_or_default();
        let (status, content) = {
            let mut objects = objects.lock().unwrap();
            match method {
                _ if !signed.starts_with("AWS4-HMAC-SHA256 Credential=key/") => ("403 No", None),
                "PUT" => {
                    objects.insert(path.to_owned(), body);
                    ("200 OK", None)
                }
                "GET" => match objects.get(path) {
                    Some(content) => ("200 OK", Some(content.clone())),
                    None => ("404 Not Found", None),
                },
                "DELETE" => {
                    objects.remove(path);
                    ("204 No Content", None)
                }
                _ => ("405 No", None),
            }
        };
        let content = content.unwrap_or_default();
        let head = format!(
            "HTTP/1.1 {status}\r\netag: \"1\"\r\nlast-modified: Sat, 21 Nov 2026 08:00:00 GMT\r\n\
             content-length: {}\r\n\r\n",
            content.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(&content).await.unwrap();
    }
}
