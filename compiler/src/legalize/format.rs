//! Patterns of `Format` with tokens that the engine lacks.

use crate::dialect::FormatToken;
use crate::error::Result;
use crate::expr::{DbType, DbValueType, Value};
use crate::frame::{Arith, CompareOp, Literal, Scalar, ScalarKind};
use crate::functions::Func;

use super::{Cx, Rule};

impl<'a, 'e> Cx<'a, 'e> {
    /// A date as text by a pattern, some of whose tokens the engine lacks.
    ///
    /// ```sql
    /// -- before                      -- after
    /// Format(at, 'd.M.yyyy')         CAST(SUBSTR(at, 9, 2) AS INTEGER) || '.' || .. || STRFTIME('.%Y', at)
    /// Format(at, 'MMM')              SUBSTR('JanFebMarAprMayJunJulAugSepOctNovDec', (month - 1) * 3 + 1, 3)
    /// ```
    ///
    /// Exact. What stands together and the engine can write is one piece of it.
    pub(crate) fn format_parts(&mut self, time: Scalar<'a, 'e>, tokens: &[FormatToken<'_>]) -> Result<Scalar<'a, 'e>> {
        self.notes_call(Func::Format, Rule::FormatParts);
        let mut parts = self.vec(tokens.len());
        let mut rest = tokens;
        while let Some((first, after)) = rest.split_first() {
            let mut length = 0;
            let mut pattern = None;
            for end in 1..=rest.len() {
                match rest.get(..end).map(|run| self.target.dialect().format_pattern(run)) {
                    Some(Ok(run)) => (length, pattern) = (end, Some(run)),
                    _ => break,
                }
            }
            match pattern {
                Some(pattern) => {
                    let run = rest.get(..length).unwrap_or_default();
                    parts.push(match only_text(run) {
                        Some(text) => self.made_text_constant(text),
                        None => self.native_format(time, pattern)?,
                    });
                    rest = rest.get(length..).unwrap_or_default();
                }
                None => {
                    parts.push(self.format_token(time, *first)?);
                    rest = after;
                }
            }
        }
        let text = match parts.as_slice() {
            [one] => self.as_text(*one)?,
            _ => self.concat(&parts)?,
        };
        Ok(text)
    }

    fn native_format(&mut self, time: Scalar<'a, 'e>, pattern: String) -> Result<Scalar<'a, 'e>> {
        let pattern = self.made_text_constant(pattern);
        self.call(Func::Format, &[time, pattern], Some(DbValueType::String.into()))
    }

    /// One token.
    fn format_token(&mut self, time: Scalar<'a, 'e>, token: FormatToken<'_>) -> Result<Scalar<'a, 'e>> {
        use FormatToken as T;
        let int = Some(DbType::from(DbValueType::Int32));
        match token {
            T::Year2 => {
                let year = self.call(Func::Year, &[time], int)?;
                self.last_digits(year, 2)
            }
            T::Month => self.call(Func::Month, &[time], int),
            T::Day => self.call(Func::Day, &[time], int),
            T::Hour24Plain => self.call(Func::Hour, &[time], int),
            T::Hour12Plain => self.hour_of_twelve(time),
            T::Hour12 => {
                let hour = self.hour_of_twelve(time)?;
                self.last_digits(hour, 2)
            }
            T::Millisecond => {
                let thousandths = self.call(Func::Millisecond, &[time], int)?;
                self.last_digits(thousandths, 3)
            }
            T::AmPm => {
                let hour = self.call(Func::Hour, &[time], int)?;
                let morning = self.compare(hour, CompareOp::Less, self.int(12))?;
                let evening = self.not(morning);
                let (am, pm) = (self.literal_text(&"AM"), self.literal_text(&"PM"));
                let ty = Some(DbValueType::String.into());
                if time.nullable {
                    return Ok(self.case_when(&[(morning, am), (evening, pm)], None, ty));
                }
                Ok(self.case_when(&[(morning, am)], Some(pm), ty))
            }
            T::MonthShort => self.name_of(Func::Month, time, &"JanFebMarAprMayJunJulAugSepOctNovDec", 3),
            T::DayShort => self.name_of(Func::DayOfWeek, time, &"SunMonTueWedThuFriSat", 3),
            T::MonthName => {
                let names = &"January  February March    April    May      June     July     August   September\
                              October  November December ";
                self.name_of(Func::Month, time, names, 9)
            }
            T::DayName => {
                let names = &"Sunday   Monday   Tuesday  WednesdayThursday Friday   Saturday ";
                self.name_of(Func::DayOfWeek, time, names, 9)
            }
            other => {
                // What every engine has; so this is the dialect's own refusal.
                let pattern = self.target.dialect().format_pattern(&[other])?;
                self.native_format(time, pattern)
            }
        }
    }

    /// The hour from 1 to 12: `(hour + 11) % 12 + 1`.
    fn hour_of_twelve(&mut self, time: Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>> {
        let hour = self.call(Func::Hour, &[time], Some(DbValueType::Int32.into()))?;
        let later = self.arithmetic(Arith::Add, hour, self.int(11))?;
        let rest = self.arithmetic(Arith::Modulo, later, self.int(12))?;
        self.arithmetic(Arith::Add, rest, self.int(1))
    }

    /// The last digits of a number, with zeros in front.
    fn last_digits(&mut self, number: Scalar<'a, 'e>, digits: i64) -> Result<Scalar<'a, 'e>> {
        let zeros = self.literal_text(&"00");
        let text = self.concat(&[zeros, number])?;
        self.call(Func::Right, &[text, self.int(digits)], Some(DbValueType::String.into()))
    }

    /// A name out of a list of names that are all as long, with blanks at the end.
    fn name_of(
        &mut self,
        part: Func,
        time: Scalar<'a, 'e>,
        names: &'static &'static str,
        length: i64,
    ) -> Result<Scalar<'a, 'e>> {
        let text = Some(DbValueType::String.into());
        let mut number = self.call(part, &[time], Some(DbValueType::Int32.into()))?;
        if part == Func::Month {
            number = self.arithmetic(Arith::Subtract, number, self.int(1))?;
        }
        let at = self.arithmetic(Arith::Multiply, number, self.int(length))?;
        let name = self.call(Func::Substring, &[self.literal_text(names), at, self.int(length)], text)?;
        if length == 3 { Ok(name) } else { self.call(Func::TrimEnd, &[name], text) }
    }

    fn made_text_constant(&mut self, text: String) -> Scalar<'a, 'e> {
        let index = u32::try_from(self.made.len()).unwrap_or(u32::MAX);
        self.made.push(Value::from(text));
        let ty = Some(DbValueType::String.into());
        Scalar { kind: ScalarKind::Literal(Literal::Made(index)), ty, nullable: false, column: None, text: None }
    }
}

/// The text of tokens that are nothing else.
fn only_text(tokens: &[FormatToken<'_>]) -> Option<String> {
    tokens.iter().map(|token| if let FormatToken::Text(text) = token { Some(*text) } else { None }).collect()
}
