//! The database types, in one table, and what rules ask of them.

/// One line a type: its name, its number in the wire format, its family, and the Rust type whose range an integer type has.
macro_rules! types {
    ($($(#[$default:meta])? $name:ident = $number:literal, $family:ident $(of $range:ident)?;)*) => {
        /// The database types, with the numbers of the wire format.
        ///
        /// An array of one of them is a [`DbType::array`]; the wire format marks it by adding 128.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        #[repr(u8)]
        #[non_exhaustive]
        #[allow(missing_docs, reason = "the names are the specification's and say it all")]
        pub enum DbValueType {
            $($(#[$default])? $name = $number,)*
        }

        impl DbValueType {
            /// All types, by number.
            pub const ALL: [DbValueType; [$($number),*].len()] = [$(DbValueType::$name),*];

            /// The name of the type.
            pub const fn name(self) -> &'static str {
                match self {
                    $(DbValueType::$name => stringify!($name),)*
                }
            }

            /// What it has in common with other types.
            #[inline]
            pub const fn family(self) -> Family {
                match self {
                    $(DbValueType::$name => Family::$family,)*
                }
            }

            /// The least and the greatest number of an integer type; of others none.
            #[allow(clippy::cast_sign_loss, reason = "no greatest number is negative")]
            pub const fn range(self) -> Option<(i64, u64)> {
                match self {
                    $($(DbValueType::$name => Some(($range::MIN as i64, $range::MAX as u64)),)?)*
                    _ => None,
                }
            }
        }
    };
}

types! {
    AnsiString = 0, Text;
    Binary = 1, Binary;
    Byte = 2, Integer of u8;
    Boolean = 3, Boolean;
    Currency = 4, Decimal;
    Date = 5, Date;
    DateTime = 6, DateTime;
    Decimal = 7, Decimal;
    Double = 8, Float;
    Guid = 9, Guid;
    Int16 = 10, Integer of i16;
    Int32 = 11, Integer of i32;
    Int64 = 12, Integer of i64;
    Object = 13, Other;
    SByte = 14, Integer of i8;
    Single = 15, Float;
    #[default] String = 16, Text;
    Time = 17, Time;
    UInt16 = 18, Integer of u16;
    UInt32 = 19, Integer of u32;
    UInt64 = 20, Integer of u64;
    VarNumeric = 21, Decimal;
    AnsiStringFixedLength = 22, Text;
    StringFixedLength = 23, Text;
    Xml = 25, Text;
    DateTime2 = 26, DateTime;
    DateTimeOffset = 27, DateTimeOffset;
    Json = 28, Json;
    Jsonb = 29, Json;
}

/// What types are alike: those of one family hold values of one kind, in other sizes or forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Family {
    /// Whole numbers.
    Integer,
    /// Exact numbers with digits behind the point.
    Decimal,
    /// Floating-point numbers.
    Float,
    /// Text, XML among it.
    Text,
    /// Truth values.
    Boolean,
    /// Calendar dates.
    Date,
    /// Times of day.
    Time,
    /// Dates and times without an offset.
    DateTime,
    /// Dates and times with their offset from UTC.
    DateTimeOffset,
    /// UUIDs.
    Guid,
    /// Bytes.
    Binary,
    /// JSON documents.
    Json,
    /// What only some engine has.
    Other,
}

/// A new family answers each of these: the matches name all families.
impl Family {
    /// Whether one may ask which of two values is the lesser.
    pub const fn is_ordered(self) -> bool {
        use Family as F;
        match self {
            F::Integer | F::Decimal | F::Float | F::Text => true,
            F::Date | F::Time | F::DateTime | F::DateTimeOffset | F::Guid => true,
            F::Boolean | F::Binary | F::Json | F::Other => false,
        }
    }

    /// Whether a value that was read finds its place in the order again. A float may differ in its last digit.
    pub const fn marks_a_place(self) -> bool {
        use Family as F;
        match self {
            F::Integer | F::Decimal | F::Text | F::Boolean => true,
            F::Date | F::Time | F::DateTime | F::DateTimeOffset | F::Guid => true,
            F::Float | F::Binary | F::Json | F::Other => false,
        }
    }

    /// Whether all its columns are of one size: they have no length, and no number of digits.
    pub const fn has_one_size(self) -> bool {
        use Family as F;
        match self {
            F::Integer | F::Float | F::Boolean | F::Date | F::Guid => true,
            F::Decimal | F::Text | F::Time | F::DateTime | F::DateTimeOffset | F::Binary | F::Json | F::Other => false,
        }
    }

    /// Whether engines without such a type store text, so that a comparison may count the case.
    pub const fn may_be_text(self) -> bool {
        use Family as F;
        match self {
            F::Text | F::Guid => true,
            F::Integer | F::Decimal | F::Float | F::Boolean | F::Binary | F::Json | F::Other => false,
            F::Date | F::Time | F::DateTime | F::DateTimeOffset => false,
        }
    }

    /// Whether an engine has to be told how a value stands in JSON that it makes: what it is not itself is text there.
    pub const fn has_form_in_json(self) -> bool {
        use Family as F;
        match self {
            F::Json | F::Guid => true,
            F::Integer | F::Decimal | F::Float | F::Text | F::Boolean | F::Binary | F::Other => false,
            F::Date | F::Time | F::DateTime | F::DateTimeOffset => false,
        }
    }

    /// Whether a value says nothing but which one it is, so that a database may renew it as a row's version.
    pub const fn is_opaque(self) -> bool {
        use Family as F;
        match self {
            F::Binary | F::Guid => true,
            F::Integer | F::Decimal | F::Float | F::Text | F::Boolean | F::Json | F::Other => false,
            F::Date | F::Time | F::DateTime | F::DateTimeOffset => false,
        }
    }
}

impl DbValueType {
    /// The type of a name, without regard to case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.name().eq_ignore_ascii_case(name))
    }

    /// The type of a number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|t| *t as u8 == number)
    }

    /// Whether it is an integer type.
    #[inline]
    pub const fn is_integer(self) -> bool {
        matches!(self.family(), Family::Integer)
    }

    /// Whether it is an exact type with digits after the decimal point.
    #[inline]
    pub const fn is_decimal(self) -> bool {
        matches!(self.family(), Family::Decimal)
    }

    /// Whether it is a floating-point type.
    #[inline]
    pub const fn is_float(self) -> bool {
        matches!(self.family(), Family::Float)
    }

    /// Whether it is a number type.
    #[inline]
    pub const fn is_number(self) -> bool {
        matches!(self.family(), Family::Integer | Family::Decimal | Family::Float)
    }

    /// Whether it is a text type.
    #[inline]
    pub const fn is_text(self) -> bool {
        matches!(self.family(), Family::Text)
    }

    /// Whether it is a text type of one code page.
    #[inline]
    pub const fn is_ansi(self) -> bool {
        matches!(self, DbValueType::AnsiString | DbValueType::AnsiStringFixedLength)
    }

    /// Whether it is a type of JSON documents.
    #[inline]
    pub const fn is_json(self) -> bool {
        matches!(self.family(), Family::Json)
    }

    /// Whether it has a date.
    #[inline]
    pub const fn is_date(self) -> bool {
        matches!(self.family(), Family::Date) || self.is_date_and_time()
    }

    /// Whether it has a date and a time of day.
    #[inline]
    pub const fn is_date_and_time(self) -> bool {
        matches!(self.family(), Family::DateTime | Family::DateTimeOffset)
    }

    /// Whether it has seconds: a time, or a date and time.
    #[inline]
    pub const fn has_seconds(self) -> bool {
        matches!(self.family(), Family::Time) || self.is_date_and_time()
    }

    /// Whether it is an integer type in whose range the number is.
    #[inline]
    pub const fn holds(self, number: i128) -> bool {
        matches!(self.range(), Some((least, most)) if least as i128 <= number && number <= most as i128)
    }

    /// Whether it is an integer type whose numbers all fit 32 bits, one of them for the sign.
    #[inline]
    pub const fn fits_int32(self) -> bool {
        matches!(self.range(), Some((least, most)) if least >= i32::MIN as i64 && most <= i32::MAX as u64)
    }

    /// Whether a value comes out of a JSON text as it went in, on every engine.
    pub const fn survives_json(self) -> bool {
        use Family as F;
        match self.family() {
            F::Integer | F::Text | F::Boolean | F::Date | F::DateTime | F::Guid => true,
            F::Decimal => matches!(self, DbValueType::Decimal),
            F::Float | F::Time | F::DateTimeOffset | F::Binary | F::Json | F::Other => false,
        }
    }
}

/// A database type: a scalar type, or an array of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DbType {
    /// The scalar or element type.
    pub base: DbValueType,
    /// Whether it is an array.
    pub array: bool,
}

impl DbType {
    /// An array of `base`.
    pub const fn array_of(base: DbValueType) -> Self {
        Self { base, array: true }
    }

    /// The number of the type: that of the scalar type, with 128 added for an array.
    pub fn number(self) -> u8 {
        self.base as u8 | if self.array { 128 } else { 0 }
    }

    /// The family of its values; none of an array.
    #[inline]
    pub const fn family(self) -> Option<Family> {
        if self.array { None } else { Some(self.base.family()) }
    }
}

impl From<DbValueType> for DbType {
    fn from(base: DbValueType) -> Self {
        Self { base, array: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_found_by_name_and_number() {
        for ty in DbValueType::ALL {
            assert_eq!(DbValueType::from_name(&ty.name().to_lowercase()), Some(ty));
            assert_eq!(DbValueType::from_number(ty as u8), Some(ty));
        }
    }

    #[test]
    fn integers_and_nothing_else_have_a_range() {
        for ty in DbValueType::ALL {
            assert_eq!(ty.range().is_some(), ty.is_integer(), "{ty:?}");
        }
        assert_eq!(DbValueType::SByte.range(), Some((-128, 127)));
        assert_eq!(DbValueType::UInt64.range(), Some((0, u64::MAX)));
        let small = DbValueType::ALL.into_iter().filter(|ty| ty.fits_int32()).map(DbValueType::name);
        assert_eq!(small.collect::<Vec<_>>(), ["Byte", "Int16", "Int32", "SByte", "UInt16"]);
    }
}
