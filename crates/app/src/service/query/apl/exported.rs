//! An answer that becomes a file: what is asked, and how far it was read. Reading it is left to `export`.

/// What all rows of a file have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Common {
    Nothing,
    Names,
    NamesAndTypes,
}

/// What is exported.
#[derive(Clone, Debug)]
pub struct ExportInput {
    pub apl: String,
    pub start_time: Option<String>,
    pub end_time: Option<String>,
}

/// An answer that is read bit by bit.
#[derive(Clone, Debug)]
pub struct Export {
    pub(super) input: ExportInput,
    pub(super) is_paged: bool,
    pub(super) cursor: Option<String>,
    pub(super) is_over: bool,
}
