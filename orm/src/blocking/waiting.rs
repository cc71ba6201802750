//! Macros for blocking versions of asynchronous types.

/// Defines a blocking type over the asynchronous one of the same name.
macro_rules! waiting {
    ($(#[$doc:meta])* $module:ident::$of:ident<$row:ident> where [$($bounds:tt)*] { $($methods:tt)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $of<$row>($module::$of<$row>);

        impl<$row> $of<$row> {
            /// Creates one that works in a session.
            #[must_use]
            pub fn new(session: &crate::blocking::Session) -> Self
            where
                $($bounds)*,
            {
                Self($module::$of::new(session.session()))
            }
        }

        impl<$row> $of<$row>
        where
            $($bounds)*
        {
            /// Selects the shard with these table arguments.
            #[must_use]
            pub fn with_args<A: Into<compact_str::CompactString>>(self, args: impl IntoIterator<Item = A>) -> Self {
                Self(self.0.with_args(args))
            }
        }

        crate::blocking::waiting::waits! { $module::$of<$row> where [$($bounds)*] { $($methods)* } }
    };
}

/// Defines blocking methods over the asynchronous ones of the same names.
macro_rules! waits {
    ($module:ident::$of:ident<$row:ident $(, $view:ident)?> where [$($bounds:tt)*] {
        $(fn $name:ident$([$generic:ident])?(&self $(, $arg:ident: $ty:ty)*) -> $out:ty;)*
    }) => {
        impl<$row $(, $view)?> $of<$row $(, $view)?>
        where
            $($bounds)*
        {
            $(
                #[doc = concat!("Blocking version of [`", stringify!($name), "`](", stringify!($module), "::", stringify!($of), "::", stringify!($name), ").")]
                ///
                /// # Errors
                #[doc = concat!("Those of [`", stringify!($name), "`](", stringify!($module), "::", stringify!($of), "::", stringify!($name), ").")]
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
