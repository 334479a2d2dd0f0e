use std::sync::Arc;
use std::time::{Duration, Instant};

use prowess::activate::Status;
use prowess::source::{ByteRange, Memory};
use prowess::{Library, LoadOptions, Origin, Roots};

use super::{MAX_RECEIPTS, Repeat, Session};

const MINUTE: Duration = Duration::from_secs(60);

fn library() -> Library {
    let user_only = "---\nname: ship\ndescription: Ships.\ndisable-model-invocation: true\n---\n";
    let memory = Memory::new()
        .with("/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\nFill.\n")
        .with("/skills/ship/SKILL.md", user_only)
        .with("/skills/ship/steps.md", "steps");
    let roots = Roots::new().with("user", "/skills").unwrap();
    Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)))
}

#[track_caller]
fn check(repeat: Repeat, after: Duration, expected: Status) {
    let (library, mut session, start) = (library(), Session::default(), Instant::now());
    let pdf = || library.activate("pdf", Origin::Model);
    assert_eq!(session.activate(pdf(), "1", repeat, start).status(), Status::New);
    assert_eq!(session.activate(pdf(), "2", repeat, start + after).status(), expected);
}

#[test]
fn a_body_is_delivered_again_unless_it_may_be_taken_to_be_there() {
    check(Repeat::Always, Duration::ZERO, Status::New);
    check(Repeat::Now, Duration::ZERO, Status::New);
    check(Repeat::After(MINUTE), Duration::ZERO, Status::AlreadyResident);
    check(Repeat::After(MINUTE), MINUTE - Duration::from_nanos(1), Status::AlreadyResident);
    check(Repeat::After(MINUTE), MINUTE, Status::New);
    check(Repeat::After(Duration::ZERO), Duration::ZERO, Status::New);
}

#[test]
fn a_model_reads_the_files_of_what_the_user_brought() {
    let (library, mut session) = (library(), Session::default());
    let read = |session: &Session| {
        let request = library.request_resource("ship", "steps.md", ByteRange::FIRST, Origin::Model);
        session.read(&library, request, "read").status()
    };
    assert_eq!(read(&session), Status::Denied);
    let ship = library.activate("ship", Origin::User);
    assert_eq!(session.activate(ship, "1", Repeat::Now, Instant::now()).status(), Status::New);
    assert_eq!(read(&session), Status::Resource);
    for call in 0..2 * MAX_RECEIPTS {
        let pdf = library.activate("pdf", Origin::Model);
        let _ = session.activate(pdf, &call.to_string(), Repeat::Now, Instant::now());
    }
    assert_eq!(read(&session), Status::Resource, "also when the ledger has begun anew");
}

#[test]
fn a_text_is_kept_only_where_it_may_be_taken_to_be_there() {
    let (library, mut session, now) = (library(), Session::default(), Instant::now());
    let _ = session.activate(library.activate("pdf", Origin::Model), "1", Repeat::Always, now);
    assert!(session.ledger.receipts().is_empty() && session.delivered.is_empty());
    let _ = session.activate(library.activate("pdf", Origin::Model), "1", Repeat::Now, now);
    let again = session.activate(library.activate("pdf", Origin::Model), "2", Repeat::After(MINUTE), now);
    assert_eq!(again.status(), Status::AlreadyResident);
}

#[test]
fn a_session_does_not_grow_without_end() {
    let (library, mut session, now) = (library(), Session::default(), Instant::now());
    for call in 0..2_000 {
        let pdf = library.activate("pdf", Origin::Model);
        let delivery = session.activate(pdf, &call.to_string(), Repeat::Now, now);
        assert_eq!(delivery.status(), Status::New);
        assert!(session.ledger.receipts().len() <= MAX_RECEIPTS + 1);
        assert!(session.delivered.len() <= MAX_RECEIPTS + 1);
    }
}
