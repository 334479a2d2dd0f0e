use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use prowess::source::Memory;
use prowess::{Library, LoadOptions, Roots};
use rmcp::model::SubscriptionFilter;

use super::News;
use crate::options::Options;
use crate::shelf::Shelf;

#[test]
fn who_subscribes_to_no_file_needs_no_thread_to_hear_of_changes() {
    let memory =
        Memory::new().with("/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\n");
    let roots = Roots::new().with("user", "/skills").unwrap();
    let library = Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)));
    let shelf = Arc::new(Shelf::new(library, Options::new()));
    let lists = SubscriptionFilter::builder().resources_list_changed().build();
    let mut news = News::new(shelf.clone(), lists, Arc::default());
    shelf.tell(true);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let _entered = runtime.enter();
    // What a thread has to find out is never there at once.
    let told = pin!(news.next()).poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(told, Poll::Ready(news) if news.len() == 1));
}
