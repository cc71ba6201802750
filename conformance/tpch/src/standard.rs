//! The standard's own texts, and what engines write in the place of syntax that they lack.

use super::Query;

/// What some dialects write in the place of a piece of the standard's text.
#[derive(Debug, Clone, Copy)]
pub struct Adapted {
    /// The names of the dialects.
    pub on: &'static [&'static str],
    /// The standard's words.
    pub from: &'static str,
    /// The dialects' words.
    pub to: &'static str,
}

impl Query {
    /// The statements of the standard's text, with its parameters filled in, for a dialect by its name. One of them is
    /// the query; others make and drop a view that it reads.
    ///
    /// Nothing if the standard has no such query, or an adaptation finds nothing to replace.
    #[must_use]
    pub fn standard(&self, dialect: &str) -> Option<Vec<String>> {
        let text = tpchgen::q_and_a::queries::query(self.number.into())?;
        let mut text = text.replace(":s", "0");
        // From the last one on: `:1` is the beginning of `:10`.
        for (index, parameter) in self.parameters.iter().enumerate().rev() {
            text = text.replace(&format!(":{}", index + 1), parameter);
        }
        for adapted in self.adapted.iter().filter(|adapted| adapted.on.contains(&dialect)) {
            if !text.contains(adapted.from) {
                return None;
            }
            text = text.replace(adapted.from, adapted.to);
        }
        if dialect == "sqlite" {
            text = dates_of_sqlite(&text);
        }
        let statements = text.split(';').map(str::trim).filter(|statement| !statement.is_empty());
        Some(statements.map(|statement| self.limited(statement)).collect())
    }

    /// The answer that the standard publishes for a scale of 1: the rows of its table, without blanks around a value.
    #[must_use]
    pub fn published(&self) -> Option<Vec<Vec<&'static str>>> {
        let table = tpchgen::q_and_a::answers_sf1::answer(self.number.into())?;
        let mut lines = table.lines().filter(|line| !line.trim().is_empty());
        let _names = lines.next()?;
        let mut rows: Vec<Vec<_>> = lines.map(|line| line.split('|').map(str::trim).collect()).collect();
        if self.number == 11 {
            // The package's copy has cut the keys.
            rows.iter_mut().filter_map(|row| row.first_mut()).for_each(|key| *key = "");
        }
        Some(rows)
    }

    fn limited(&self, statement: &str) -> String {
        match self.limit {
            Some(rows) => format!("{statement}\nlimit {rows}"),
            None => statement.to_owned(),
        }
    }
}

/// SQLite has neither date literals nor intervals: a date is a text, and the function DATE moves it.
///
/// `date '1994-01-01' + interval '1' year` becomes `date('1994-01-01', '+1 year')`, and `date '1994-01-01'` alone
/// `'1994-01-01'`.
fn dates_of_sqlite(text: &str) -> String {
    let mut pieces = text.split("date '");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (day, rest) = piece.split_once('\'').unwrap_or((piece, ""));
        match interval(rest) {
            Some((sign, number, rest)) => {
                out.push_str(&format!("date('{day}', '{sign}{number} "));
                let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
                let (unit, rest) = rest.split_at(end);
                out.push_str(&format!("{unit}'){rest}"));
            }
            None => out.push_str(&format!("'{day}'{rest}")),
        }
    }
    out
}

/// The sign and number of an interval that is added to what is before it, and the text from its unit on.
fn interval(text: &str) -> Option<(char, &str, &str)> {
    let (sign, text) = match text.strip_prefix(" + interval '") {
        Some(text) => ('+', text),
        None => ('-', text.strip_prefix(" - interval '")?),
    };
    let (number, rest) = text.split_once("' ")?;
    Some((sign, number, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_move_by_a_function() {
        for (text, expected) in [
            ("a < date '1994-01-01' + interval '1' year\n and", "a < date('1994-01-01', '+1 year')\n and"),
            ("date '1998-12-01' - interval '90' day", "date('1998-12-01', '-90 day')"),
            ("between date '1995-01-01' and date '1996-12-31'", "between '1995-01-01' and '1996-12-31'"),
            ("o_orderdate <= l_shipdate", "o_orderdate <= l_shipdate"),
        ] {
            assert_eq!(dates_of_sqlite(text), expected);
        }
    }

    #[test]
    fn every_text_has_its_parameters_and_adaptations() {
        for query in crate::queries(crate::SCALE) {
            for dialect in ["sqlite", "postgres", "mysql", "mariadb"] {
                let statements = query.standard(dialect).unwrap_or_else(|| panic!("Q{} on {dialect}", query.number));
                let views = if query.number == 15 { 2 } else { 0 };
                assert_eq!(statements.len(), 1 + views, "{statements:?}");
                assert!(statements.iter().all(|statement| !statement.contains(':')), "{statements:?}");
            }
        }
    }
}
