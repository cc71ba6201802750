//! A dialect that differs from another one in its tables only.

use super::{Dialect, FormatToken, Sheet, Version};
use crate::error::Result;
use crate::expr::DbType;
use crate::frame::{In, Param};
use crate::render::Writer;
use crate::template::Lexis;

/// A dialect that differs from another one in its tables only: what its sheet says, and anything else as its base does.
///
/// ```
/// use isogloss_compiler::dialect::{Dialect, Sheet, Variant};
/// fn fork<D: Dialect + Clone + Eq>(base: D, sheet: &'static Sheet) -> Variant<D> {
///     Variant::new(sheet, (24, 1, 0), base)
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Variant<B> {
    sheet: &'static Sheet,
    version: Version,
    base: B,
}

impl<B> Variant<B> {
    /// The variant in a version of its own, of a base in the version that it follows.
    #[must_use]
    pub const fn new(sheet: &'static Sheet, version: Version, base: B) -> Self {
        Self { sheet, version, base }
    }

    /// The dialect that it is a variant of.
    pub const fn inherited(&self) -> &B {
        &self.base
    }
}

impl<B: PartialEq> PartialEq for Variant<B> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.sheet, other.sheet) && self.version == other.version && self.base == other.base
    }
}

impl<B: Eq> Eq for Variant<B> {}

impl<B: Dialect + Clone + Eq> Dialect for Variant<B> {
    fn sheet(&self) -> &'static Sheet {
        self.sheet
    }

    fn version(&self) -> Version {
        self.version
    }

    fn label(&self) -> String {
        match self.version {
            (major, minor, 0) => format!("{} {major}.{minor}", self.sheet.name),
            (major, minor, patch) => format!("{} {major}.{minor}.{patch}", self.sheet.name),
        }
    }

    fn base(&self) -> Option<&dyn Dialect> {
        Some(&self.base)
    }

    fn cast_type(&self, ty: DbType) -> Result<&'static str> {
        self.base.cast_type(ty)
    }

    fn lexis(&self) -> Lexis {
        self.base.lexis()
    }

    fn in_array<'e>(&self, w: &mut Writer<'_, 'e>, node: &In<'_, 'e>, array: Param<'e>, ty: DbType) -> Result<()> {
        self.base.in_array(w, node, array, ty)
    }

    fn format_pattern(&self, pattern: &[FormatToken<'_>]) -> Result<String> {
        self.base.format_pattern(pattern)
    }
}
