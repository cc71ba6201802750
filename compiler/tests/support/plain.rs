/// A dialect that is what the defaults are, for examples and tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Plain;

pub(crate) static PLAIN: isogloss_compiler::dialect::Sheet = isogloss_compiler::dialect::Sheet {
    name: "plain",
    quotes: isogloss_compiler::dialect::Quotes('"', '"'),
    placeholder: isogloss_compiler::dialect::Placeholder::Question,
    null_order: isogloss_compiler::dialect::NullOrder::Least,
    limits: isogloss_compiler::dialect::Limits::NONE,
    distribution: isogloss_compiler::dialect::Distribution::None,
    native: isogloss_compiler::dialect::Feature::ALL,
    support: &[],
    functions: &[],
};

impl isogloss_compiler::dialect::Dialect for Plain {
    fn sheet(&self) -> &'static isogloss_compiler::dialect::Sheet {
        &PLAIN
    }
    fn lexis(&self) -> isogloss_compiler::Lexis {
        isogloss_compiler::Lexis::STANDARD
    }
    fn version(&self) -> isogloss_compiler::dialect::Version {
        (1, 0, 0)
    }
    fn label(&self) -> String {
        "plain 1".to_owned()
    }
    fn cast_type(&self, _: isogloss_compiler::expr::DbType) -> isogloss_compiler::Result<&'static str> {
        Ok("text")
    }
    fn in_array<'e>(
        &self,
        w: &mut isogloss_compiler::render::Writer<'_, 'e>,
        node: &isogloss_compiler::frame::In<'_, 'e>,
        array: isogloss_compiler::frame::Param<'e>,
        ty: isogloss_compiler::expr::DbType,
    ) -> isogloss_compiler::Result<()> {
        w.scalar(&node.left, isogloss_compiler::render::Prec::Concat)?;
        w.text(if node.negated { " <> ALL(" } else { " = ANY(" });
        w.placeholder(array, Some(ty));
        w.text(")");
        Ok(())
    }
    fn format_pattern(
        &self,
        _: &[isogloss_compiler::dialect::FormatToken<'_>],
    ) -> isogloss_compiler::Result<String> {
        Ok(String::new())
    }
}
