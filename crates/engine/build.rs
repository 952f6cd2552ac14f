//! Tells the crate by what it was built: groups that are kept on the disk are good only for what has computed them.

#[path = "build/computed_by.rs"]
mod computed_by;

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    // From the crate's folder, where cargo runs this: a build folder may be shared by checkouts in several places.
    let root = Path::new("../..");
    for source in computed_by::sources(root) {
        println!("cargo:rerun-if-changed={}", source.display());
    }
    println!("cargo:rustc-env=TIDEGAUGE_COMPUTED_BY={}", computed_by::computed_by(root)?);
    Ok(())
}
