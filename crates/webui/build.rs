//! Writes down which files the interface was built to, so that they become part of the crate; none where it was not
//! built. Building them is left to scripts/interface.sh, so that cargo needs neither Node nor another network.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The page itself, which is filled in for each reader and not served as a file.
const PAGE: &str = "index.html";

fn main() -> io::Result<()> {
    let built = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../ui/dist");
    // A folder that is missing would count as changed with every build. Where it cannot be made, nothing else is lost.
    let _ = fs::create_dir_all(&built);
    println!("cargo::rerun-if-changed={}", built.display());
    println!("cargo::rerun-if-changed=build.rs");
    #[expect(
        clippy::disallowed_methods,
        reason = "cargo tells a build script in no other way where to write"
    )]
    let target = env::var_os("OUT_DIR").map(PathBuf::from).ok_or(io::ErrorKind::NotFound)?;
    // Of a copy: the interface may be built anew while the compiler reads.
    let copied = target.join("files");
    let _ = fs::remove_dir_all(&copied);
    copy(&built, &copied)?;
    fs::write(target.join("files.rs"), listed(&copied)?)
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).into_iter().flatten() {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &target)?,
            false => fs::copy(entry.path(), target).map(|_| ())?,
        }
    }
    Ok(())
}

/// The text of two constants: the page and the files beside it.
fn listed(built: &Path) -> io::Result<String> {
    let page = built.join(PAGE);
    if !page.is_file() {
        return Ok("const PAGE: Option<&str> = None;\nconst FILES: &[File] = &[];\n".to_owned());
    }
    let mut text =
        format!("const PAGE: Option<&str> = Some(include_str!({page:?}));\nconst FILES: &[File] = &[\n");
    let mut names = Vec::new();
    collect(built, "", &mut names)?;
    names.sort();
    for name in names.iter().filter(|name| *name != PAGE && !is_compressed(name)) {
        let included = |ending: &str| {
            let path = built.join(format!("{name}{ending}"));
            path.is_file().then(|| format!("include_bytes!({path:?}).as_slice()"))
        };
        let optional =
            |ending: &str| included(ending).map_or("None".to_owned(), |bytes| format!("Some({bytes})"));
        let plain = included("").unwrap_or_default();
        let (gzip, brotli) = (optional(".gz"), optional(".br"));
        let _ =
            writeln!(text, "    File {{ name: {name:?}, plain: {plain}, gzip: {gzip}, brotli: {brotli} }},");
    }
    text.push_str("];\n");
    Ok(text)
}

/// The names of all files below a folder, but of those that begin with a dot: they are the builder's own.
fn collect(folder: &Path, prefix: &str, names: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
        if name.starts_with('.') {
            continue;
        }
        let full = format!("{prefix}{name}");
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{full}/"), names)?;
        } else {
            names.push(full);
        }
    }
    Ok(())
}

fn is_compressed(name: &str) -> bool {
    name.ends_with(".gz") || name.ends_with(".br")
}
