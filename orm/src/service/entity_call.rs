//! The calls of entity services, with what an interception puts around them.

use std::any::type_name;

use super::call::{self, Call};
use super::context::Argument;
use super::nesting::CallPath;
use super::{Interception, Method, PermissionRule, log};
use crate::entity::{LogText, Logable};
use crate::{OrmResult, Session};

/// The service of an entity: its session, the name of the entity, the type of the service, and who may call it where no
/// method of a service is around.
#[derive(Clone, Copy)]
pub(super) struct EntityCalls<'s> {
    pub(super) session: &'s Session,
    pub(super) entity: &'static str,
    pub(super) service_type: &'static str,
    pub(super) permission: fn(&Interception) -> PermissionRule,
}

/// The arguments of a call, as far as somebody looks at them.
pub(super) type ShownArguments = Vec<Argument<'static>>;

/// Awaits what a method does, with what stands around its call. Where nothing does, it is awaited where it is made: a future of
/// that size costs a move as much as the rest of the call.
macro_rules! called {
    ($calls:expr, $method:expr, $shown:expr, $run:expr, $shows:expr) => {{
        let calls = $calls;
        match calls.interception() {
            None => $run.await,
            Some(interception) => calls.run(interception, $method, $shown, $run, $shows).await,
        }
    }};
}

pub(super) use called;

impl<'s> EntityCalls<'s> {
    /// The texts of arguments, if somebody may look: what writes takes them over.
    pub(super) fn shown(&self, method: &'static str, arguments: &[(&'static str, &dyn Logable)]) -> ShownArguments {
        let Some(interception) = self.interception() else { return Vec::new() };
        if !interception.has_handlers()
            && !log::may_show_arguments(interception, &self.method(interception, method, ""))
        {
            return Vec::new();
        }
        let text = |value: &dyn Logable| {
            let mut text = LogText::with_items(interception.items);
            value.log(&mut text);
            text
        };
        arguments.iter().map(|(name, value)| Argument::now(name, text(*value))).collect()
    }

    /// Runs a method, with what an interception puts around it.
    pub(super) fn run<R>(
        self,
        interception: &'s Interception,
        method: &'static str,
        shown: ShownArguments,
        run: impl Future<Output = OrmResult<R>>,
        shows: fn(&R, &mut LogText),
    ) -> impl Future<Output = OrmResult<R>> {
        // Apart, so that calls without an interception do not carry what it needs.
        Box::pin(async move {
            let mut call = self.made::<R>(interception, method, shown)?;
            call.begin().await?;
            let done = call.run(run, |_| false).await;
            call.end(done, shows).await
        })
    }

    /// A call whose steps are run by whoever has it; none where nothing stands around it.
    pub(super) fn stepwise<R>(
        &self,
        method: &'static str,
        shown: ShownArguments,
    ) -> OrmResult<Option<Box<Call<'static>>>> {
        let made = |interception| self.made::<R>(interception, method, shown).map(Box::new);
        self.interception().map(made).transpose()
    }

    fn made<R>(
        &self,
        interception: &Interception,
        method: &'static str,
        shown: ShownArguments,
    ) -> OrmResult<Call<'static>> {
        let method = self.method(interception, method, type_name::<OrmResult<R>>());
        let mut call = Call::new(self.session, method, self.service_type)?;
        call.show(None, shown);
        Ok(call)
    }

    /// What stands around calls. Inside of a method of a service it is that one's.
    pub(super) fn interception(&self) -> Option<&'s Interception> {
        call::of(self.session.context()).filter(|_| !CallPath::is_inside(self.session))
    }

    fn method(&self, interception: &Interception, method: &'static str, returns: &'static str) -> Method {
        let permission = (self.permission)(interception);
        let method = Method::new(self.entity, method, returns).permission(permission).log(interception.entity_log);
        // What has a closure of the program's own is not for another program.
        if method.name() == "for_each" { method.not_remote() } else { method }
    }
}
