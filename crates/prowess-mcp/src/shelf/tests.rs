use std::sync::Arc;

use prowess::{Library, LoadOptions, Roots};
use prowess_testkit::Tree;

use super::{LISTING, Shelf, lock};
use crate::options::Options;

#[test]
fn the_pages_of_a_listing_share_a_reading_for_a_while() {
    let tree = Tree::new().skill("skills/one");
    let roots = Roots::new().with("user", tree.at("skills")).expect("the scope is a label");
    let shelf = Shelf::new(Library::load(&roots, &LoadOptions::new()), Options::new());
    let first = shelf.fresh();
    let read = lock(&shelf.loads).began.expect("the disk was read");
    let _tree = tree.skill("skills/two");
    assert!(Arc::ptr_eq(&first, &shelf.recent(read)));
    assert_eq!(shelf.recent(read + LISTING).library.skills().len(), 2);
}
