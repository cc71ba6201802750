use crate::{Lexis, Notation, Scanner, TextProblem, Token};

const ORACLE: Lexis = Lexis { q_quotes: true, ..Lexis::STANDARD };
const POSTGRES: Lexis = Lexis { escape_strings: true, dollar_quotes: true, ..Lexis::STANDARD };
const SQLSERVER: Lexis = Lexis { bracket_names: true, nested_comments: true, ..Lexis::STANDARD };
const MYSQL: Lexis = Lexis {
    backslash: true,
    backticks: true,
    executed_comments: true,
    hash_comments: true,
    blank_after_dashes: true,
    ..Lexis::STANDARD
};

type Tokens<'t> = Result<Vec<Token<'t>>, (usize, TextProblem)>;

fn hole(inner: &str) -> Result<usize, TextProblem> {
    inner.find('}').ok_or(TextProblem::OpenHole)
}

fn template(text: &str, lexis: Lexis) -> Tokens<'_> {
    Scanner::new(text, lexis, Notation { brackets: true, hole: Some(hole) }).map(|token| Ok(token?.1)).collect()
}

fn function(text: &str, lexis: Lexis) -> Tokens<'_> {
    Scanner::new(text, lexis, Notation { brackets: false, hole: Some(hole) }).map(|token| Ok(token?.1)).collect()
}

fn begins_with(text: &str, lexis: Lexis, quoted: &str) {
    let first = template(text, lexis).ok().and_then(|tokens| tokens.first().copied());
    assert_eq!(first, Some(Token::Quoted(quoted)), "{text}");
}

/// All texts of at most that many of the parts.
fn texts(parts: &[&str], most: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut begin = 0;
    for _ in 0..most {
        let end = all.len();
        for index in begin..end {
            let before = all.get(index).cloned().unwrap_or_default();
            all.extend(parts.iter().map(|part| format!("{before}{part}")));
        }
        begin = end;
    }
    all
}

#[test]
fn a_q_quote_ends_at_its_delimiter_before_a_quote() {
    let pairs = [("[", "]"), ("{", "}"), ("(", ")"), ("<", ">")];
    let alone =
        ["!", "]", "}", ")", ">", "'", "\"", "#", "|", "q", "-", "/", "*", "\\", "0", "é", "\u{a0}", "\u{3000}", "😀"];
    for (open, close) in pairs.into_iter().chain(alone.map(|same| (same, same))) {
        for before in ["q", "Q", "nq", "Nq", "nQ", "NQ"] {
            for body in texts(&["'", close, open, "a", "--", "/*"], 3) {
                let text = format!("{before}'{open}{body}{close}' {{x}}");
                // The first delimiter that a quote follows, and not one that opens.
                let inner = text.get(before.len() + 1 + open.len()..).unwrap_or_default();
                let end = inner.find(&format!("{close}'")).unwrap_or_default() + close.len() + 1;
                let length = before.len() + 1 + open.len() + end;
                let first = Scanner::new(&text, ORACLE, Notation { brackets: true, hole: Some(hole) }).next();
                assert_eq!(first, Some(Ok((0, Token::Quoted(text.get(..length).unwrap_or_default())))), "{text}");
            }
            let text = format!("{before}'{open}a'");
            assert!(template(&text, ORACLE).is_err(), "{text}");
        }
    }
    for blank in [" ", "\t", "\n", "\r"] {
        assert_eq!(template(&format!("q'{blank}a{blank}'"), ORACLE), Err((0, TextProblem::BlankDelimiter)));
    }
    assert_eq!(template("q'", ORACLE), Err((0, TextProblem::OpenLiteral)));
}

#[test]
fn a_q_quote_begins_a_word() {
    fn literal(text: &str) -> Tokens<'_> {
        template(text, ORACLE)
    }
    // The end of another name.
    for word in ["aq", "_q", "a$q", "a#q", "éq", "nnq"] {
        let text = format!("{word}'[' {{x}}");
        assert_eq!(
            literal(&text),
            Ok(vec![Token::Code(word), Token::Quoted("'['"), Token::Code(" "), Token::Hole("x")])
        );
    }
    // No letter, and so no part of a name.
    for before in ["(", ",", "||", "\u{a0}", "\u{3000}", "'a'", "\"a\"", "/**/", "@"] {
        let text = format!("{before}q'[it's]' {{x}}");
        let tokens = literal(&text).unwrap_or_default();
        assert!(
            tokens.ends_with(&[Token::Quoted("q'[it's]'"), Token::Code(" "), Token::Hole("x")]),
            "{text}: {tokens:?}"
        );
    }
    for number in ["1q", "0nq", "1a", "1.5eq"] {
        let text = format!("{number}'[]'");
        let at = if number.contains('.') { 2 } else { 0 };
        assert_eq!(literal(&text), Err((at, TextProblem::NumberBeforeLiteral)), "{text}");
    }
    assert_eq!(literal("q '[' {x}").map(|tokens| tokens.len()), Ok(4), "a name and a literal");
}

#[test]
fn postgres_numbers_end_before_dollars_and_letters() {
    assert!(template("1$$'$$ {x}", POSTGRES).is_ok_and(|tokens| tokens.contains(&Token::Quoted("$$'$$"))));
    assert!(template("a$$ {x} a$$", POSTGRES).is_ok_and(|tokens| tokens.contains(&Token::Hole("x"))));
    assert_eq!(template(r"1E'a\' {x}", POSTGRES), Err((0, TextProblem::NumberBeforeLiteral)));
    begins_with("E'a' -- it\\'s\n'b\\'c'", POSTGRES, "E'a' -- it\\'s\n'b\\'c'");
    // A carriage return ends the comment, too.
    begins_with("E'a'\n-- x\r'b\\'c'", POSTGRES, "E'a'\n-- x\r'b\\'c'");
    begins_with("E'a'\n\x0b'b\\'c'", POSTGRES, "E'a'\n\x0b'b\\'c'");
    begins_with("E'a' 'b'", POSTGRES, "E'a'");
}

#[test]
fn brackets_that_the_engine_takes_for_quotes_hold_code() {
    for text in ["[[a b]] {x}", "[[1]]"] {
        assert!(template(text, SQLSERVER).is_ok_and(|tokens| tokens.starts_with(&[Token::Code("[")])), "{text}");
    }
    for text in [
        "[[a'b]]", "[[a", "[[{x}]]", "[[a--b]]", "[[a/*b]]", "[[[a]]]", "[[a]]]]", "[[\"]]", "[[`]]", "[[#]]", "[[\0]]",
    ] {
        assert_eq!(template(text, SQLSERVER), Err((0, TextProblem::DoubledName)), "{text}");
    }
    assert_eq!(template("a[[{x}]]", POSTGRES).map(|tokens| tokens.len()), Ok(4));
    // In a function's text they are the engine's.
    assert_eq!(function("[it's]]{0}]", SQLSERVER), Ok(vec![Token::Quoted("[it's]]{0}]")]));
    assert_eq!(function("[it's]", Lexis::STANDARD), Err((3, TextProblem::OpenLiteral)));
    assert_eq!(function("a[{0}]", POSTGRES).map(|tokens| tokens.len()), Ok(3));
    assert_eq!(function("[a", SQLSERVER), Err((0, TextProblem::OpenQuotedName)));
}

#[test]
fn a_comment_that_is_run_has_the_end_that_is_seen() {
    for text in ["/*! STRAIGHT_JOIN */", "/*!50000 a */", "/*M! a */", "/* it's # -- */", "/*+ it's */"] {
        assert_eq!(template(text, MYSQL), Ok(vec![Token::Comment(text)]));
    }
    for text in
        ["/*! '*/' */", "/*M! \"*/\" */", "/*!50000 `*/` */", "/*! # */\n*/", "/*! -- */\n*/", "/*! /* */ */", "/*!?*/"]
    {
        assert_eq!(template(text, MYSQL), Err((0, TextProblem::ExecutedComment)), "{text}");
    }
    assert!(template("/*! ' */", ORACLE).is_ok());
}

#[test]
fn dashes_begin_a_comment_before_a_blank() {
    for comment in ["--", "-- '", "--\t'", "--\u{b}'", "--\u{1}'", "--\n"] {
        assert!(template(comment, MYSQL).is_ok(), "{comment:?}");
    }
    // No-break space, and a control character of two bytes: blanks to Unicode, and not to the engine.
    for hole in ["1--{x}", "1--[a]"] {
        assert_eq!(template(hole, MYSQL), Err((1, TextProblem::HoleBehindDashes)), "{hole}");
        assert_eq!(template(&hole.replace("--", "- -"), MYSQL).map(|tokens| tokens.len()), Ok(2));
    }
    for code in ["--'", "--\u{a0}'", "--\u{85}'", "--1 '"] {
        assert!(template(code, MYSQL).is_err_and(|(at, _)| at > 0), "{code:?}");
    }
}

#[test]
fn a_nul_is_nowhere() {
    for text in
        ["\0", "a\0", "'\0'", "\"\0\"", "-- \0", "/* \0 */", "-- \0\n", "[\0]", "$$\0$$", "q'[\0]'", "`\0`", "E'\0'"]
    {
        for lexis in Lexis::READINGS {
            assert!(template(text, lexis).is_err(), "{text:?} {lexis:?}");
        }
    }
}

/// The tokens are the whole text, in each reading, or there is an error at a place in it.
#[test]
fn tokens_are_the_text() {
    let parts = ["'", "\"", "`", "[", "]", "{x}", "--", "\n", "/*", "*/", "\\", "q", "E", "$", "#", " ", "1", "!"];
    for text in texts(&parts, 4) {
        for lexis in Lexis::READINGS {
            for brackets in [true, false] {
                let mut end = 0;
                for token in Scanner::new(&text, lexis, Notation { brackets, hole: Some(hole) }) {
                    let (at, token) = match token {
                        Ok(token) => token,
                        Err((at, _)) => {
                            assert!(at == end && at < text.len(), "{text:?} {lexis:?}");
                            end = text.len();
                            break;
                        }
                    };
                    assert_eq!(at, end, "{text:?} {lexis:?}");
                    end += match token {
                        Token::Name(name) | Token::Hole(name) => name.len() + 2,
                        // A doubled bracket or brace is one.
                        Token::Code(code @ ("[" | "]" | "{" | "}")) => {
                            let doubled = text.get(at..).is_some_and(|rest| rest.starts_with(&code.repeat(2)));
                            if doubled && (brackets || matches!(code, "{" | "}")) { 2 } else { 1 }
                        }
                        Token::Code(text) | Token::Quoted(text) | Token::Comment(text) | Token::OpenComment(text) => {
                            text.len()
                        }
                    };
                }
                assert_eq!(end, text.len(), "{text:?} {lexis:?}");
            }
        }
    }
}

#[test]
fn the_error_is_that_of_the_reading_that_came_farthest() {
    let read = |text| {
        Lexis::any(|lexis| {
            let tokens: Result<Vec<_>, _> =
                Scanner::new(text, lexis, Notation { brackets: true, hole: Some(hole) }).collect();
            tokens.map(drop)
        })
    };
    assert_eq!(read("q'[it's]' [a"), Err((10, TextProblem::OpenBracket)));
    assert_eq!(read(r"'it\'s' [a"), Err((8, TextProblem::OpenBracket)));
    assert_eq!(read("[a"), Err((0, TextProblem::OpenBracket)));
    assert_eq!(read("q'[it's]'"), Ok(()));
}

#[test]
fn without_a_notation_braces_and_brackets_are_the_engines() {
    let text = "SELECT {d '}'}, a[1] }} [b";
    let tokens: Vec<_> =
        Scanner::new(text, POSTGRES, Notation::NONE).map(|token| token.map(|(_, token)| token)).collect();
    let expected = [Token::Code("SELECT {d "), Token::Quoted("'}'"), Token::Code("}, a[1] }} [b")];
    assert_eq!(tokens, expected.map(Ok));
}
