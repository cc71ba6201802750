//! A case.

use isogloss_compiler::expr::Expr;
use isogloss_compiler::model::TextMode;
use isogloss_compiler::{Request, Scope, Verb};

use crate::targets::{Target, targets};

/// One expression, and what is asked of it.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its name in its topic.
    pub name: String,
    /// What is compiled.
    pub expr: Expr,
    /// What is asked of a query.
    pub verb: Verb,
    /// The root entity, where the expression needs one.
    pub root: Option<&'static str>,
    /// What it is compiled for, where that is not every dialect in its usual version.
    pub targets: Option<Vec<Target>>,
    /// What texts are compared by.
    pub text: TextMode,
    /// What is true of its request.
    pub scope: Option<Scope>,
}

/// A case of every dialect.
pub fn case(name: impl Into<String>, expr: impl Into<Expr>) -> Case {
    Case {
        name: name.into(),
        expr: expr.into(),
        verb: Verb::Select,
        root: None,
        targets: None,
        text: TextMode::Database,
        scope: None,
    }
}

impl Case {
    /// Asks for something else than rows.
    #[must_use]
    pub fn verb(self, verb: Verb) -> Self {
        Self { verb, ..self }
    }

    /// Over that entity.
    #[must_use]
    pub fn root(self, root: &'static str) -> Self {
        Self { root: Some(root), ..self }
    }

    /// For these versions only.
    #[must_use]
    pub fn on(self, targets: impl IntoIterator<Item = Target>) -> Self {
        Self { targets: Some(targets.into_iter().collect()), ..self }
    }

    /// With texts that are compared by that.
    #[must_use]
    pub fn text(self, text: TextMode) -> Self {
        Self { text, ..self }
    }

    /// In that scope.
    #[must_use]
    pub fn scope(self, scope: Scope) -> Self {
        Self { scope: Some(scope), ..self }
    }

    /// What it is compiled for.
    pub fn targets(&self) -> Vec<Target> {
        self.targets.clone().unwrap_or_else(targets)
    }

    /// The request that it stands for.
    pub fn request(&self) -> Request<'_> {
        let request = self.root.map_or_else(Request::default, Request::of).verb(self.verb);
        self.scope.iter().fold(request, Request::scope)
    }
}
