//! Tells the crate by what it was built: groups that are kept on the disk are good only for what has computed them.

#[path = "build/computed_by.rs"]
mod computed_by;

use std::env;
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    // Asked when it runs: a build folder may be shared by checkouts in several places.
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../..");
    for source in computed_by::sources(&root) {
        println!("cargo:rerun-if-changed={}", source.display());
    }
    println!("cargo:rustc-env=TIDEGAUGE_COMPUTED_BY={}", computed_by::computed_by(&root)?);
    Ok(())
}
