//! What is shown of the types of the standard library, and of those that columns have.

use std::any::type_name;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone};
use isogloss_compiler::expr::{
    Decimal, DeleteExpr, Expr, InsertExpr, InsertSource, LogicExpr, SqlSegment, UpdateExpr, Value, ValueTypeExpr,
};
use isogloss_compiler::json;
use isogloss_compiler::walk::{ExprMut, rewrite};
use uuid::Uuid;

use super::{LogText, Logable};

macro_rules! shown {
    ($($ty:ty)*) => {$(
        impl Logable for $ty {
            fn log(&self, text: &mut LogText) {
                text.push(self);
            }
        }
    )*};
}

shown!(bool i8 i16 i32 i64 i128 isize u16 u32 u64 u128 usize f32 f64);
shown!(Decimal Uuid NaiveDate NaiveDateTime NaiveTime TimeDelta);

impl<Z: TimeZone> Logable for DateTime<Z> {
    fn log(&self, text: &mut LogText) {
        text.push(self.to_rfc3339());
    }
}

macro_rules! quoted {
    ($($ty:ty)*) => {$(
        /// In quotes, so that no text is taken for another line of the log.
        impl Logable for $ty {
            fn log(&self, text: &mut LogText) {
                text.push(format_args!("{self:?}"));
            }
        }
    )*};
}

quoted!(() char str String Duration);

/// Several are bytes.
impl Logable for u8 {
    fn log(&self, text: &mut LogText) {
        text.push(self);
    }

    fn log_all(items: &[Self], _: &str, text: &mut LogText) {
        text.bytes(items);
    }
}

impl Logable for Value {
    fn log(&self, text: &mut LogText) {
        match self {
            Self::Text(shown) => shown.as_str().log(text),
            Self::Json(shown) => shown.log(text),
            Self::Bytes(bytes) => text.bytes(bytes),
            Self::List(items) => text.list("Value", items.iter(), |item, text| item.log(text)),
            other => text.push(other),
        }
    }
}

impl<T: Logable> Logable for Option<T> {
    fn log(&self, text: &mut LogText) {
        match self {
            Some(value) => value.log(text),
            None => text.push("None"),
        }
    }
}

macro_rules! trees {
    ($($ty:ty)*) => {$(
        /// In the notation of JSON, with `?` in place of values: some may be of columns that are not shown.
        impl Logable for $ty {
            fn log(&self, text: &mut LogText) {
                let mut shown = self.clone();
                hide_values(&mut shown);
                text.push(json::to_string(&shown));
            }
        }
    )*};
}

fn hide_values<'t>(tree: impl Into<ExprMut<'t>>) {
    let hidden = || Value::from("?");
    rewrite(tree, |node| match node {
        ExprMut::Value(ValueTypeExpr::Value(value)) => value.value = hidden(),
        ExprMut::Constant(value) => value.value = hidden(),
        ExprMut::Value(ValueTypeExpr::Sql(sql)) | ExprMut::Logic(LogicExpr::Sql(sql)) => sql.arg = hidden(),
        ExprMut::Insert(InsertExpr { source: InsertSource::Values(values), .. }) => values.fill_with(hidden),
        _ => {}
    });
}

trees!(Expr LogicExpr ValueTypeExpr SqlSegment UpdateExpr DeleteExpr);

macro_rules! pointers {
    ($($ty:ty)*) => {$(
        impl<T: Logable + ?Sized> Logable for $ty {
            fn log(&self, text: &mut LogText) {
                (**self).log(text);
            }
        }
    )*};
}

pointers!(&T &mut T Box<T> Rc<T> Arc<T>);

impl<T: Logable + ToOwned + ?Sized> Logable for Cow<'_, T> {
    fn log(&self, text: &mut LogText) {
        (**self).log(text);
    }
}

impl<T: Logable> Logable for [T] {
    fn log(&self, text: &mut LogText) {
        T::log_all(self, type_name::<Self>(), text);
    }
}

impl<T: Logable, const N: usize> Logable for [T; N] {
    fn log(&self, text: &mut LogText) {
        T::log_all(self, type_name::<Self>(), text);
    }
}

impl<T: Logable> Logable for Vec<T> {
    fn log(&self, text: &mut LogText) {
        T::log_all(self, type_name::<Self>(), text);
    }
}

macro_rules! collections {
    ($($ty:ident<$($of:ident),*>: $item:pat => $shown:expr;)*) => {$(
        impl<$($of: Logable),*> Logable for $ty<$($of),*> {
            fn log(&self, text: &mut LogText) {
                text.list(type_name::<Self>(), self.iter(), |$item, text| $shown(text));
            }
        }
    )*};
}

/// A key and its value.
fn pair(key: &impl Logable, value: &impl Logable, text: &mut LogText) {
    key.log(text);
    text.push(": ");
    value.log(text);
}

collections! {
    VecDeque<T>: item => |text| item.log(text);
    BTreeSet<T>: item => |text| item.log(text);
    HashSet<T>: item => |text| item.log(text);
    BTreeMap<K, V>: (key, value) => |text| pair(key, value, text);
    HashMap<K, V>: (key, value) => |text| pair(key, value, text);
}

macro_rules! tuples {
    ($(($($name:ident)*))*) => {$(
        impl<$($name: Logable),*> Logable for ($($name,)*) {
            #[allow(non_snake_case, reason = "each part is named by its type")]
            fn log(&self, text: &mut LogText) {
                let ($($name,)*) = self;
                let mut before = "(";
                $(
                    text.push(std::mem::replace(&mut before, ", "));
                    $name.log(text);
                )*
                text.push(")");
            }
        }
    )*};
}

tuples!((A) (A B) (A B C) (A B C D) (A B C D E));
