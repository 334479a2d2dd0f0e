//! Leaves Node's symbols to the program that loads the library.

fn main() {
    napi_build::setup();
}
