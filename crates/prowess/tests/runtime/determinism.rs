use std::time::Duration;

use proptest::prelude::*;
use prowess::{Catalog, CatalogOptions, Library, json};
use prowess_testkit::Tree;

use crate::common::disk;
use crate::states::trees;

/// Everything a load says, without the place of the tree.
fn output(library: &Library, tree: &Tree) -> String {
    let catalog = Catalog::build(library, &CatalogOptions::new());
    let list = json::list(library, &catalog, Duration::ZERO);
    format!("{list}\n{}", catalog.text()).replace(tree.path().to_str().unwrap(), "")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_a_directory_changes_nothing(
        (files, shuffled) in trees().prop_flat_map(|files| (Just(files.clone()), Just(files).prop_shuffle())),
    ) {
        let [one, other] = [files, shuffled].map(|files| {
            let tree = Tree::of(files.iter().map(|(path, text)| (path, text.as_str().into())));
            let library = disk(&tree);
            let first = output(&library, &tree);
            assert_eq!(first, output(&disk(&tree), &tree));
            first
        });
        prop_assert_eq!(one, other);
    }
}
