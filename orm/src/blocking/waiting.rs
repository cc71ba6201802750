//! How what awaits is made to wait.

/// A type whose methods wait, over the one of its name.
macro_rules! waiting {
    ($(#[$doc:meta])* $module:ident::$of:ident<$row:ident> where [$($bounds:tt)*] { $($methods:tt)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $of<$row>($module::$of<$row>);

        impl<$row> $of<$row>
        where
            $($bounds)*
        {
            /// One over a session.
            #[must_use]
            pub fn new(session: &crate::blocking::Session) -> Self {
                Self($module::$of::new(session.session()))
            }

            /// Over the shard with these arguments.
            #[must_use]
            pub fn with_args<A: Into<compact_str::CompactString>>(self, args: impl IntoIterator<Item = A>) -> Self {
                Self(self.0.with_args(args))
            }
        }

        crate::blocking::waiting::waits! { $module::$of<$row> where [$($bounds)*] { $($methods)* } }
    };
}

/// The methods that wait, each for the one of its name.
macro_rules! waits {
    ($module:ident::$of:ident<$row:ident $(, $view:ident)?> where [$($bounds:tt)*] {
        $(fn $name:ident$([$generic:ident])?(&self $(, $arg:ident: $ty:ty)*) -> $out:ty;)*
    }) => {
        impl<$row $(, $view)?> $of<$row $(, $view)?>
        where
            $($bounds)*
        {
            $(
                #[doc = concat!("Waits for [`", stringify!($name), "`](", stringify!($module), "::", stringify!($of), "::", stringify!($name), ").")]
                ///
                /// # Errors
                #[doc = concat!("As [`", stringify!($name), "`](", stringify!($module), "::", stringify!($of), "::", stringify!($name), ") has them.")]
                pub fn $name$(<$generic: Predicate + Send>)?(&self $(, $arg: $ty)*) -> OrmResult<$out>
                $(where
                    $row: Takes<$generic::Entity>,)?
                {
                    wait(self.0.$name($($arg),*))
                }
            )*
        }
    };
}

pub(super) use {waiting, waits};
