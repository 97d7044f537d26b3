//! The world outside, but for the tax authorities: receivers of events, mail servers, file storage.
