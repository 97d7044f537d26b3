//! A form on its way in: beyond its first bytes it is kept on disk, in a file without a name, and
//! so many forms at once take little memory, however slowly they arrive.

use std::io::{self, ErrorKind, SeekFrom};

use actix_web::HttpMessage as _;
use actix_web::dev::{Payload, ServiceRequest};
use actix_web::error::PayloadError;
use actix_web::http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use actix_web::web::{Bytes, BytesMut};
use futures_util::stream::{LocalBoxStream, once, try_unfold};
use futures_util::{Stream, StreamExt as _};
use memchr::memmem::Finder;
use ring::digest::{Context, SHA256};
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::body_limit::too_large;
use crate::connection::broken_off;
use crate::error::{ApiError, Kind};
use crate::limits::{Full, RequestLimits, Share, arriving_form, no_room_for_form};
use crate::route::Route;

/// Forms whose bytes may be in memory at one moment.
const OPEN: usize = 4;
/// Bytes of a form that are kept in memory; a certificate and its passphrase never reach the disk.
const IN_MEMORY: usize = 64 * 1024;

static OPEN_FORMS: Semaphore = Semaphore::const_new(OPEN);

/// A form that arrived.
pub(crate) struct Spooled {
    kept: Kept,
    /// The digest of its bytes without its borders, where it was asked for.
    pub print: Option<String>,
    _place: Share,
}

enum Kept {
    InMemory(Bytes),
    OnDisk(File),
}

/// Its turn to be in memory; until it is dropped.
pub(crate) struct Opened(#[expect(dead_code, reason = "held")] SemaphorePermit<'static>);

/// Takes in the form of `request`; `None` when its body is no form, which [`super::Form`] refuses.
///
/// # Errors
/// When the form is too long or too slow, when too many arrive at once, or when the disk is full.
pub(crate) async fn receive(
    route: &Route,
    request: &mut ServiceRequest,
    is_keyed: bool,
) -> Result<Option<Spooled>, ApiError> {
    let limits = request.app_data::<RequestLimits>().copied().unwrap_or_default();
    let max_bytes = route.body_bytes();
    let Some(border) = border(request.headers()) else { return Ok(None) };
    let print = is_keyed.then(|| Print::new(border));
    let place = arriving_form(request.request())?;
    let payload = request.take_payload();
    let arriving = async {
        tokio::select! {
            arrived = arrive(payload, max_bytes, print, nameless) => arrived,
            () = place.dismissed() => Err(no_room_for_form(Full::Room)),
        }
    };
    let arrived = tokio::time::timeout(limits.body_time, arriving).await;
    let (kept, print) = arrived.map_err(|_| {
        let seconds = limits.body_time.as_secs();
        let message = format!("the body did not arrive within {seconds} seconds");
        ApiError::new(Kind::RequestTimeout, message)
    })??;
    place.stay().map_err(no_room_for_form)?;
    Ok(Some(Spooled { kept, print, _place: place }))
}

async fn arrive(
    mut payload: Payload,
    max_bytes: usize,
    mut print: Option<Print>,
    make_file: impl AsyncFn() -> io::Result<File>,
) -> Result<(Kept, Option<String>), ApiError> {
    let (mut bytes, mut buffer, mut file) = (0, BytesMut::new(), None);
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(broken_off)?;
        bytes += chunk.len();
        if bytes > max_bytes {
            return Err(too_large(max_bytes));
        }
        if let Some(print) = &mut print {
            print.update(&chunk);
        }
        buffer.extend_from_slice(&chunk);
        if buffer.len() > IN_MEMORY {
            let file = match &mut file {
                Some(file) => file,
                None => file.insert(make_file().await.map_err(unwritten)?),
            };
            file.write_all(&buffer).await.map_err(unwritten)?;
            buffer.clear();
        }
    }
    let kept = match file {
        None => Kept::InMemory(buffer.freeze()),
        Some(file) => Kept::OnDisk(rewound(file, &buffer).await.map_err(unwritten)?),
    };
    Ok((kept, print.map(Print::finish)))
}

/// A file that no folder names, and that ends with its handle.
async fn nameless() -> io::Result<File> {
    let made = tokio::task::spawn_blocking(tempfile::tempfile).await;
    Ok(File::from_std(made.map_err(io::Error::other)??))
}

async fn rewound(mut file: File, rest: &[u8]) -> io::Result<File> {
    file.write_all(rest).await?;
    file.flush().await?;
    file.seek(SeekFrom::Start(0)).await?;
    Ok(file)
}

impl Spooled {
    /// The form's bytes, and its turn to be in memory, which few forms have at once.
    pub(crate) async fn open(
        self,
    ) -> Result<(LocalBoxStream<'static, Result<Bytes, PayloadError>>, Opened), ApiError> {
        let turn = OPEN_FORMS.acquire().await.map_err(ApiError::unavailable)?;
        let bytes = match self.kept {
            Kept::InMemory(bytes) => once(async { Ok(bytes) }).boxed_local(),
            Kept::OnDisk(file) => chunks(file).boxed_local(),
        };
        Ok((bytes, Opened(turn)))
    }
}

fn chunks(file: File) -> impl Stream<Item = Result<Bytes, PayloadError>> {
    try_unfold(file, |mut file| async {
        let mut chunk = BytesMut::with_capacity(IN_MEMORY);
        let count = file.read_buf(&mut chunk).await.map_err(PayloadError::Io)?;
        Ok((count > 0).then(|| (chunk.freeze(), file)))
    })
}

/// What is answered where a form cannot be kept.
fn unwritten(error: io::Error) -> ApiError {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => ApiError::storage_full(),
        _ => ApiError::unavailable(error),
    }
}

/// The text between the parts of a form; `None` for what is no form.
fn border(headers: &HeaderMap) -> Option<&str> {
    let sent = headers.get(CONTENT_TYPE).map(HeaderValue::to_str)?.ok()?;
    let (kind, parameters) = sent.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let mut values = parameters.split(';').filter_map(|parameter| parameter.trim().split_once('='));
    let border = values.find(|(name, _)| name.eq_ignore_ascii_case("boundary"))?.1;
    Some(border.trim_matches('"')).filter(|border| !border.is_empty())
}

/// The digest of a form without its boundaries, which differ with each request.
struct Print {
    border: Finder<'static>,
    digest: Context,
    /// The end of what came, which may be the beginning of a border.
    rest: Vec<u8>,
}

impl Print {
    fn new(border: &str) -> Self {
        let border = Finder::new(border.as_bytes()).into_owned();
        Self { border, digest: Context::new(&SHA256), rest: Vec::new() }
    }

    fn update(&mut self, chunk: &[u8]) {
        self.rest.extend_from_slice(chunk);
        let length = self.border.needle().len();
        let mut done = 0;
        while let Some(place) = self.border.find(&self.rest[done..]) {
            self.digest.update(&self.rest[done..done + place]);
            done += place + length;
        }
        // Fewer bytes than a border has may be the first of one.
        let sure = done.max((self.rest.len() + 1).saturating_sub(length));
        self.digest.update(&self.rest[done..sure]);
        self.rest.drain(..sure);
    }

    fn finish(mut self) -> String {
        self.digest.update(&self.rest);
        self.digest.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;
    use futures_util::FutureExt as _;

    use super::*;
    use crate::limits::{Room, Shares};

    fn print(border: &str, chunks: &[&[u8]]) -> String {
        let mut print = Print::new(border);
        chunks.iter().for_each(|chunk| print.update(chunk));
        print.finish()
    }

    #[test]
    fn a_print_is_of_what_stands_between_borders_however_it_arrives() {
        let whole: &[u8] = b"--abc\r\n\r\nabab1\r\n--abc--";
        let first = print("abc", &[whole]);
        for middle in 0..whole.len() {
            let (left, right) = whole.split_at(middle);
            assert_eq!(print("abc", &[left, right]), first, "{middle}");
        }
        let single: Vec<&[u8]> = whole.chunks(1).collect();
        assert_eq!(print("abc", &single), first);
        assert_eq!(print("xyz", &[b"--xyz\r\n\r\nabab1\r\n--xyz--"]), first);
        assert_ne!(print("xyz", &[b"--xyz\r\n\r\nabab2\r\n--xyz--"]), first);
        assert_ne!(print("xyz", &[b"--xyz\r\n\r\nabab1\r\n--xyz--x"]), first);
    }

    fn payload(bytes: usize) -> Payload {
        let chunks = (0..bytes.div_ceil(1_000)).map(move |n| {
            let length = 1_000.min(bytes - n * 1_000);
            Ok::<_, PayloadError>(Bytes::from(vec![b'x'; length]))
        });
        Payload::Stream { payload: futures_util::stream::iter(chunks).boxed_local() }
    }

    #[actix_web::test]
    async fn a_long_form_is_on_disk_and_a_short_one_is_not() {
        for (bytes, is_on_disk) in [(10, false), (IN_MEMORY, false), (IN_MEMORY * 3 + 7, true)] {
            let (kept, print) =
                arrive(payload(bytes), bytes, Some(Print::new("--")), nameless).await.unwrap();
            assert_eq!(matches!(kept, Kept::OnDisk(_)), is_on_disk, "{bytes}");
            let request = TestRequest::post().to_http_request();
            let place = arriving_form(&request).unwrap();
            let spooled = Spooled { kept, print, _place: place };
            let (mut read, _turn) = spooled.open().await.unwrap();
            let mut count = 0;
            while let Some(chunk) = read.next().await {
                let chunk = chunk.unwrap();
                assert!(chunk.len() <= IN_MEMORY && chunk.iter().all(|byte| *byte == b'x'));
                count += chunk.len();
            }
            assert_eq!(count, bytes);
            let long = arrive(payload(bytes + 1), bytes, None, nameless).await;
            assert!(long.is_err(), "too long");
        }
    }

    #[actix_web::test]
    async fn a_full_disk_is_reported_as_such() {
        let full = async || File::options().write(true).open("/dev/full").await;
        for bytes in [IN_MEMORY + 1_000, IN_MEMORY * 3] {
            let refused = arrive(payload(bytes), bytes, None, full).await.err().unwrap();
            assert_eq!(refused.reason(), Some("storage_full"), "{refused:?}");
        }
    }

    /// A form from `address` that does not end.
    fn endless(address: &str, forms: &'static Room) -> ServiceRequest {
        let request = TestRequest::post()
            .app_data(RequestLimits { forms, ..RequestLimits::default() })
            .insert_header(("content-type", "multipart/form-data; boundary=abc"))
            .peer_addr(format!("{address}:4711").parse().unwrap());
        let (request, _) = request.to_srv_request().into_parts();
        let payload = futures_util::stream::pending().boxed_local();
        ServiceRequest::from_parts(request, Payload::Stream { payload })
    }

    #[actix_web::test]
    async fn forms_that_do_not_end_leave_places_to_other_addresses() {
        let route = crate::routes().find(|route| route.operation == "uploadFile").unwrap();
        let shares = Shares { total: 6, reserved: 0, of_sender: 2, of_address: 2, small: 0 };
        let forms: &'static Room = Box::leak(Box::new(Room::new(shares)));
        let mut requests: Vec<_> =
            (0..6).map(|n| endless(&format!("192.0.2.{}", n / 2), forms)).collect();
        let mut held: Vec<_> =
            requests.iter_mut().map(|request| Box::pin(receive(route, request, false))).collect();
        assert!(held.iter_mut().all(|one| one.as_mut().now_or_never().is_none()));
        let mut further = endless("192.0.2.0", forms);
        let refused = receive(route, &mut further, false).await.err().unwrap();
        assert_eq!(refused.code(), "rate_limit_exceeded", "the address has its part");
        let mut good = endless("192.0.2.9", forms);
        let mut good = Box::pin(receive(route, &mut good, true));
        assert!(good.as_mut().now_or_never().is_none(), "it is on its way in");
        let dismissed = held[0].as_mut().now_or_never().unwrap().err().unwrap();
        assert_eq!(dismissed.code(), "service_unavailable");
        assert!(held[1..].iter_mut().all(|one| one.as_mut().now_or_never().is_none()));
    }
}
