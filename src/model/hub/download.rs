//! Downloads one file of a repository: its metadata first, then at most the announced content.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use ureq::http::StatusCode;
use ureq::http::header::{CONTENT_LENGTH, CONTENT_RANGE, ETAG};

use super::client::{Answer, Client};
use super::store::{Commit, ETag, FileName, Locked, Store};
use crate::model::card::PinnedFile;
use crate::model::error::ModelError;
use crate::model::fetch::{Fetch, FetchEvent};

/// Source and destination of a file.
pub(super) struct Download<'a> {
    pub(super) client: &'a Client,
    pub(super) store: &'a Store,
    pub(super) revision: &'a str,
    pub(super) commit: &'a Commit,
    pub(super) fetch: &'a Fetch<'a>,
}

/// The announced size and name of a file.
struct Announced {
    etag: ETag,
    bytes: u64,
    /// If known in advance.
    sha256: Option<String>,
}

impl Download<'_> {
    /// The file's path in the snapshot. A pinned file that differs in size or content is never stored.
    pub(super) fn file(&self, name: &FileName, pinned: Option<&PinnedFile>) -> Result<PathBuf, ModelError> {
        let path = self.store.snapshot(self.commit).join(name.as_str());
        let fits = |path: &Path| {
            let size = path.metadata().ok().filter(|metadata| metadata.is_file()).map(|metadata| metadata.len());
            size.is_some_and(|size| pinned.is_none_or(|pinned| size == pinned.bytes))
        };
        if fits(&path) {
            return Ok(path);
        }
        let at = format!("{}/resolve/{}/{}", self.client.repo, self.commit.as_str(), name.as_str());
        let address = self.client.address_of(&at);
        let announced = self.announced(name, &address, pinned)?;
        let content = self.store.lock(&self.client.repo, &announced.etag, self.fetch)?;
        if !content.blob.metadata().is_ok_and(|found| found.is_file() && found.len() == announced.bytes) {
            self.content(name, &address, &announced, &content)?;
        }
        self.store.link(self.commit, name, content)
    }

    fn announced(&self, name: &FileName, address: &str, pinned: Option<&PinnedFile>) -> Result<Announced, ModelError> {
        let name = name.as_str();
        let refused = |reason: String| self.client.refused(reason);
        // One byte is requested, because not every mirror responds to HEAD requests.
        let answer = self.client.get(name, address, Some("bytes=0-0"))?;
        self.client.check(name, self.revision, &answer)?;
        let header = |key| answer.response.headers().get(key).and_then(|value| value.to_str().ok());
        let whole =
            (answer.response.status() == StatusCode::OK).then(|| header(CONTENT_LENGTH)?.parse().ok()).flatten();
        let of_range = || header(CONTENT_RANGE)?.rsplit_once('/')?.1.parse().ok();
        let bytes = answer.linked.bytes.or_else(of_range).or(whole);
        let bytes = bytes.ok_or_else(|| refused(format!("it gives no size for {name}")))?;
        let etag = answer.linked.etag.as_deref().or_else(|| header(ETAG));
        let etag = etag.ok_or_else(|| refused(format!("it announces {name} without an ETag")))?;
        let tag = ETag::new(etag)
            .ok_or_else(|| refused(format!("the ETag of {name} is {etag:?}, which cannot be the name of a file")))?;
        let linked_hash = tag.sha256().filter(|_| answer.linked.etag.is_some()).map(str::to_string);
        let Some(pinned) = pinned else { return Ok(Announced { etag: tag, bytes, sha256: linked_hash }) };
        if bytes != pinned.bytes {
            return Err(refused(format!("it announces {name} with {bytes} bytes, the card says {}", pinned.bytes)));
        }
        if let Some(hash) = linked_hash.filter(|hash| *hash != pinned.sha256) {
            return Err(refused(format!("it announces {name} with SHA-256 {hash}, the card says {}", pinned.sha256)));
        }
        Ok(Announced { etag: tag, bytes, sha256: Some(pinned.sha256.clone()) })
    }

    /// Complete the partial download, check it against the announcement, and make it the content.
    fn content(
        &self,
        name: &FileName,
        address: &str,
        announced: &Announced,
        content: &Locked,
    ) -> Result<(), ModelError> {
        let show = self.fetch.on_event;
        show(FetchEvent::Begin { file: name.as_str(), bytes: Some(announced.bytes) });
        let begun = content.part.metadata().map_or(0, |part| part.len());
        // A partial file longer than the whole belongs to something else.
        let begun = if begun > announced.bytes { 0 } else { begun };
        let (begun, rest) = match begun == announced.bytes {
            true => (begun, None),
            false => self.rest(name, address, announced, begun).map(|(begun, rest)| (begun, Some(rest)))?,
        };
        let mut part = Part::open(&content.part, begun)?;
        show(FetchEvent::Advance { bytes: begun });
        if let Some(rest) = rest {
            self.append(name, announced, rest, &mut part)?;
        }
        let found = part.close()?;
        if let Some(expected) = announced.sha256.as_ref().filter(|expected| **expected != found) {
            remove(&content.part)?;
            return Err(self.client.refused(format!(
                "{} was discarded: its SHA-256 is {found}, expected {expected}; try again, or fetch \
                 it from elsewhere",
                name.as_str()
            )));
        }
        std::fs::rename(&content.part, &content.blob)
            .map_err(|source| ModelError::Cache { path: content.blob.clone(), source })?;
        show(FetchEvent::End);
        Ok(())
    }

    /// The response with the bytes from `begun` on, or from the first where the server does not support ranges.
    fn rest(
        &self,
        name: &FileName,
        address: &str,
        announced: &Announced,
        begun: u64,
    ) -> Result<(u64, Answer), ModelError> {
        let range = (begun > 0).then(|| format!("bytes={begun}-"));
        let answer = self.client.get(name.as_str(), address, range.as_deref())?;
        if begun > 0 && answer.response.status() == StatusCode::RANGE_NOT_SATISFIABLE {
            return self.rest(name, address, announced, 0);
        }
        self.client.check(name.as_str(), self.revision, &answer)?;
        let (name, bytes) = (name.as_str(), announced.bytes);
        let header = |key| answer.response.headers().get(key).and_then(|value| value.to_str().ok());
        let begun = if answer.response.status() == StatusCode::OK { 0 } else { begun };
        if answer.response.status() == StatusCode::PARTIAL_CONTENT {
            let range = header(CONTENT_RANGE).unwrap_or_default();
            if !range.starts_with(&format!("bytes {begun}-")) || !range.ends_with(&format!("/{bytes}")) {
                return Err(self
                    .client
                    .refused(format!("requested {name} from byte {begun} of {bytes}, received the range {range:?}")));
            }
        }
        match header(CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok()) {
            Some(length) if length != bytes - begun => Err(self
                .client
                .refused(format!("{name}: announced {bytes} bytes, received {}", length.saturating_add(begun)))),
            _ => Ok((begun, answer)),
        }
    }

    fn append(&self, name: &FileName, announced: &Announced, rest: Answer, part: &mut Part) -> Result<(), ModelError> {
        let (name, bytes) = (name.as_str(), announced.bytes);
        let broken = |problem: &str, here: u64| {
            self.client.refused(format!("{name}: {problem}, at {here} of {bytes} bytes; the same command continues it"))
        };
        let mut body = self.client.body(rest.response);
        let mut buffer = vec![0; 1 << 18];
        while part.bytes <= bytes {
            self.fetch.go_on()?;
            let read = match body.read(&mut buffer) {
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => 0,
                Err(error) => return Err(broken(&error.to_string(), part.bytes)),
            };
            if read == 0 {
                return match part.bytes == bytes {
                    true => Ok(()),
                    false => Err(broken("the connection ended early", part.bytes)),
                };
            }
            if part.bytes + read as u64 > bytes {
                break;
            }
            part.push(&buffer[..read])?;
            (self.fetch.on_event)(FetchEvent::Advance { bytes: read as u64 });
        }
        remove(part.path)?;
        Err(self.client.refused(format!("{name}: announced {bytes} bytes, received more")))
    }
}

/// A partially downloaded content.
struct Part<'a> {
    path: &'a Path,
    file: File,
    hash: Sha256,
    bytes: u64,
}

impl<'a> Part<'a> {
    /// Keeps the first `begun` bytes of the existing file.
    fn open(path: &'a Path, begun: u64) -> Result<Self, ModelError> {
        let unwritable = |source| ModelError::Cache { path: path.to_path_buf(), source };
        let mut file =
            File::options().read(true).write(true).create(true).truncate(false).open(path).map_err(unwritable)?;
        file.set_len(begun).map_err(unwritable)?;
        let mut hash = Sha256::new();
        // Reading to the end positions the file for appending.
        io::copy(&mut file, &mut hash).map_err(unwritable)?;
        Ok(Part { path, file, hash, bytes: begun })
    }

    fn push(&mut self, piece: &[u8]) -> Result<(), ModelError> {
        self.file.write_all(piece).map_err(|source| ModelError::Cache { path: self.path.to_path_buf(), source })?;
        self.hash.update(piece);
        self.bytes += piece.len() as u64;
        Ok(())
    }

    /// Syncs to disk; returns the SHA-256.
    fn close(self) -> Result<String, ModelError> {
        self.file.sync_all().map_err(|source| ModelError::Cache { path: self.path.to_path_buf(), source })?;
        Ok(hex::encode(self.hash.finalize()))
    }
}

fn remove(path: &Path) -> Result<(), ModelError> {
    std::fs::remove_file(path).map_err(|source| ModelError::Cache { path: path.to_path_buf(), source })
}
