//! Which module of a crate imports which: what follows `use`, and paths that begin in the crate. A name that comes from a
//! re-export is followed to the file that defines it. Tests are left out.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Item, ItemMod, ItemUse, Path, UseTree, Visibility};

use crate::source::{Source, is_for_tests};

/// A module by the names that lead to it; the root has none.
pub(crate) type Module = Vec<String>;

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Import {
    pub(crate) from: Module,
    pub(crate) to: Module,
}

/// The imports of each crate, by its name.
pub(crate) fn imports_of(sources: &[Source]) -> BTreeMap<String, Vec<Import>> {
    let mut crates: BTreeMap<String, BTreeMap<Module, File>> = BTreeMap::new();
    for source in sources.iter().filter(|source| !source.is_test) {
        if let Some((name, module)) = module_of(&source.path) {
            let mut file = File { inside: module.clone(), ..File::default() };
            file.visit_file(&source.syntax);
            crates.entry(name).or_default().insert(module, file);
        }
    }
    crates.into_iter().map(|(name, files)| (name, imports_between(&files))).collect()
}

/// The crate and the module of a file.
fn module_of(path: &str) -> Option<(String, Module)> {
    let (name, file) = path.strip_prefix("crates/")?.split_once("/src/")?;
    let file = file.strip_suffix(".rs")?;
    let module = match file {
        "lib" | "main" => Module::new(),
        _ => file.split('/').map(str::to_owned).collect(),
    };
    Some((name.to_owned(), module))
}

fn imports_between(files: &BTreeMap<Module, File>) -> Vec<Import> {
    let mut imports = BTreeSet::new();
    for (from, file) in files {
        for Named { path, is_exported, .. } in &file.used {
            if let Some(to) = defining(files, path, 0) {
                // What a parent only hands on is not its own.
                if to != *from && !(*is_exported && to.starts_with(from)) {
                    imports.insert(Import { from: from.clone(), to });
                }
            }
        }
        let named =
            file.named.iter().cloned().chain(file.paths.iter().filter_map(|path| file.led(from, path)));
        let named = named.filter_map(|path| defining(files, &path, 0)).filter(|to| to != from);
        imports.extend(named.map(|to| Import { from: from.clone(), to }));
    }
    imports.into_iter().collect()
}

/// The module whose file defines what a path from the root of the crate names.
fn defining(files: &BTreeMap<Module, File>, path: &[String], depth: usize) -> Option<Module> {
    /// Re-exports of re-exports end long before.
    const DEPTH_MAX: usize = 16;
    let length = (0..=path.len()).rev().find(|length| files.contains_key(&path[..*length]))?;
    let (module, rest) = path.split_at(length);
    let used = rest.first().and_then(|name| files[module].used.iter().find(|used| used.name == *name));
    match used {
        Some(used) if depth < DEPTH_MAX => {
            let further = [used.path.as_slice(), &rest[1..]].concat();
            defining(files, &further, depth + 1)
        }
        _ => Some(module.to_vec()),
    }
}

/// What a file names.
#[derive(Default)]
struct File {
    /// The module at hand, which may be one inside the file.
    inside: Module,
    /// The modules that the file declares.
    children: BTreeSet<String>,
    /// What follows `use` and lies in this crate, from its root.
    used: Vec<Named>,
    /// Other paths: those that begin with `crate`, `self` or `super` from the root, and the rest as they are written.
    named: Vec<Module>,
    paths: Vec<Module>,
}

struct Named {
    /// What it is called here.
    name: String,
    path: Module,
    is_exported: bool,
}

impl File {
    /// Where a path leads that begins with something imported or with a child; none where with neither.
    fn led(&self, from: &[String], path: &[String]) -> Option<Module> {
        let (first, rest) = path.split_first()?;
        match self.used.iter().find(|used| used.name == *first) {
            Some(used) => Some([used.path.as_slice(), rest].concat()),
            None => self.children.contains(first).then(|| [from, path].concat()),
        }
    }

    fn add_use(&mut self, tree: &UseTree, before: &[String], is_exported: bool) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.add_use(&path.tree, &with(&path.ident), is_exported),
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.add_use(tree, before, is_exported));
            }
            UseTree::Glob(_) => self.add_used(before.to_vec(), "*".to_owned(), is_exported),
            UseTree::Name(name) if name.ident == "self" => {
                let own = before.last().cloned().unwrap_or_default();
                self.add_used(before.to_vec(), own, is_exported);
            }
            UseTree::Name(name) => self.add_used(with(&name.ident), name.ident.to_string(), is_exported),
            UseTree::Rename(renamed) => {
                self.add_used(with(&renamed.ident), renamed.rename.to_string(), is_exported);
            }
        }
    }

    fn add_used(&mut self, path: Module, name: String, is_exported: bool) {
        let is_child = path.first().is_some_and(|first| self.children.contains(first));
        // What begins with anything else is another crate's.
        let path = if is_child {
            Some([self.inside.as_slice(), &path].concat())
        } else {
            begun(&self.inside, &path)
        };
        self.used.extend(path.map(|path| Named { name, path, is_exported }));
    }
}

/// A path that begins with `crate`, `self` or `super`, from the root; none of others.
fn begun(from: &[String], path: &[String]) -> Option<Module> {
    let mut base = from.to_vec();
    for (place, name) in path.iter().enumerate() {
        match name.as_str() {
            "crate" => base.clear(),
            "self" => {}
            "super" => {
                base.pop()?;
            }
            _ if place == 0 => return None,
            _ => return Some([base.as_slice(), &path[place..]].concat()),
        }
    }
    Some(base)
}

impl<'ast> Visit<'ast> for File {
    fn visit_file(&mut self, file: &'ast syn::File) {
        self.children.extend(file.items.iter().filter_map(|item| match item {
            Item::Mod(module) => Some(module.ident.to_string()),
            _ => None,
        }));
        visit::visit_file(self, file);
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if is_for_tests(&module.attrs) {
            return;
        }
        self.inside.push(module.ident.to_string());
        visit::visit_item_mod(self, module);
        self.inside.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if !is_for_tests(&item.attrs) {
            self.add_use(&item.tree, &[], !matches!(item.vis, Visibility::Inherited));
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        if path.segments.len() > 1 && path.leading_colon.is_none() {
            let path: Module = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            match begun(&self.inside, &path) {
                Some(path) => self.named.push(path),
                None => self.paths.push(path),
            }
        }
        visit::visit_path(self, path);
    }

    /// What makes something visible imports nothing.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}
