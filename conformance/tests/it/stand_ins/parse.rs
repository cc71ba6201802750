//! Reads the first items of a select list as expressions of T-SQL or Oracle's SQL.

use isogloss_compiler::dialect::Dialect;
use sqlparser::dialect::{MsSqlDialect, OracleDialect};
use sqlparser::tokenizer::{Token, Tokenizer, Whitespace};

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    Null,
    Number(String),
    Text(String),
    /// A column, by its own name, and how many columns and parameters stand before it.
    Column(String, usize),
    /// A parameter, by its place, and how many columns and parameters stand before it.
    Param(usize, usize),
    /// A word without quotes that is no call: a unit of time, a type, TRUE.
    Word(String),
    /// A call, by its name in capitals. `f(a FROM b)` is `f FROM` of both.
    Call(String, Vec<Node>),
    Case {
        operand: Option<Box<Node>>,
        arms: Vec<(Node, Node)>,
        otherwise: Option<Box<Node>>,
    },
    /// A value, and the name of a type in capitals.
    Cast(Box<Node>, String),
    Minus(Box<Node>),
    Not(Box<Node>),
    Binary(Box<Node>, String, Box<Node>),
    /// A value that is NULL, or is not.
    IsNull(Box<Node>, bool),
    IsJson(Box<Node>),
    Between(Box<Node>, Box<Node>, Box<Node>),
}

/// The items of a select list, and the rows of the function table that left a mark in them.
#[derive(Debug)]
pub struct Items {
    pub nodes: Vec<Node>,
    pub marks: Vec<usize>,
}

/// Reads `SELECT item [AS name], item ..`, up to what is no item.
///
/// # Errors
/// What stands there that is not known here.
pub fn items(dialect: &dyn Dialect, sql: &str) -> Result<Items, String> {
    let oracle = dialect.sheet().name == "oracle";
    let tokens = if oracle {
        Tokenizer::new(&OracleDialect {}, sql).tokenize()
    } else {
        Tokenizer::new(&MsSqlDialect {}, sql).tokenize()
    };
    let tokens = tokens.map_err(|error| error.to_string())?;
    let mut marks = Vec::new();
    let mut kept = Vec::with_capacity(tokens.len());
    for token in tokens {
        match token {
            Token::Whitespace(Whitespace::MultiLineComment(mark)) => marks.extend(mark.trim().parse::<usize>()),
            Token::Whitespace(_) => {}
            token => kept.push(token),
        }
    }
    let mut parser = Parser { tokens: kept, at: 0, values: 0 };
    parser.expect_word("SELECT")?;
    let mut nodes = vec![parser.item()?];
    while parser.takes(&Token::Comma) {
        nodes.push(parser.item()?);
    }
    Ok(Items { nodes, marks })
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    /// How many columns and parameters were met.
    values: usize,
}

/// How tight operators bind: OR 1, AND 2, NOT 3, comparisons 4, sums 5, products 6.
const NOT: u8 = 3;
const COMPARE: u8 = 4;
const SUM: u8 = 5;
const PRODUCT: u8 = 6;

type Parsed<T> = Result<T, String>;

impl Parser {
    fn peek(&self) -> &Token {
        self.tokens.get(self.at).unwrap_or(&Token::EOF)
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn takes(&mut self, token: &Token) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    /// The word without quotes that comes next, in capitals.
    fn word(&self) -> Option<String> {
        match self.peek() {
            Token::Word(word) if word.quote_style.is_none() => Some(word.value.to_uppercase()),
            _ => None,
        }
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let found = self.word().as_deref() == Some(word);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &Token) -> Parsed<()> {
        if self.takes(token) { Ok(()) } else { Err(format!("`{}` in the place of `{token}`", self.peek())) }
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.takes_word(word) { Ok(()) } else { Err(format!("`{}` in the place of `{word}`", self.peek())) }
    }

    fn item(&mut self) -> Parsed<Node> {
        let node = self.expression(0)?;
        if self.takes_word("AS") || matches!(self.peek(), Token::Word(word) if word.quote_style.is_some()) {
            self.next();
        }
        Ok(node)
    }

    fn expression(&mut self, least: u8) -> Parsed<Node> {
        let mut left =
            if self.takes_word("NOT") { Node::Not(Box::new(self.expression(NOT)?)) } else { self.operand()? };
        loop {
            let (operator, binds) = match self.peek() {
                Token::Plus => ("+", SUM),
                Token::Minus => ("-", SUM),
                Token::StringConcat => ("||", SUM),
                Token::Ampersand => ("&", SUM),
                Token::Pipe => ("|", SUM),
                Token::Caret => ("^", SUM),
                Token::Mul => ("*", PRODUCT),
                Token::Div => ("/", PRODUCT),
                Token::Mod => ("%", PRODUCT),
                Token::Eq => ("=", COMPARE),
                Token::Neq => ("<>", COMPARE),
                Token::Lt => ("<", COMPARE),
                Token::Gt => (">", COMPARE),
                Token::LtEq => ("<=", COMPARE),
                Token::GtEq => (">=", COMPARE),
                _ => match self.word().as_deref() {
                    Some("OR") => ("OR", 1),
                    Some("AND") => ("AND", 2),
                    Some("IS") => ("IS", COMPARE),
                    Some("LIKE") => ("LIKE", COMPARE),
                    Some("BETWEEN") => ("BETWEEN", COMPARE),
                    _ => return Ok(left),
                },
            };
            if binds <= least {
                return Ok(left);
            }
            self.next();
            left = match operator {
                "IS" => {
                    let not = self.takes_word("NOT");
                    if self.takes_word("JSON") {
                        self.takes_word("STRICT");
                        Node::IsJson(Box::new(left))
                    } else {
                        self.expect_word("NULL")?;
                        Node::IsNull(Box::new(left), !not)
                    }
                }
                "BETWEEN" => {
                    let low = self.expression(COMPARE)?;
                    self.expect_word("AND")?;
                    let high = self.expression(COMPARE)?;
                    Node::Between(Box::new(left), Box::new(low), Box::new(high))
                }
                _ => Node::Binary(Box::new(left), operator.to_owned(), Box::new(self.expression(binds)?)),
            };
        }
    }

    fn value(&mut self) -> usize {
        self.values += 1;
        self.values - 1
    }

    fn operand(&mut self) -> Parsed<Node> {
        match self.next() {
            Token::Minus => Ok(Node::Minus(Box::new(self.expression(PRODUCT)?))),
            Token::Number(digits, _) => {
                // 1D is a BINARY_DOUBLE.
                let double = self.takes_word("D");
                Ok(Node::Number(if double { format!("{digits}e0") } else { digits }))
            }
            Token::SingleQuotedString(text) | Token::NationalStringLiteral(text) => Ok(Node::Text(text)),
            Token::Placeholder(mark) => self.param(&mark),
            Token::Colon => match self.next() {
                Token::Number(digits, _) => self.param(&digits),
                other => Err(format!("`:{other}`")),
            },
            Token::LParen => {
                if self.word().is_some_and(|word| matches!(word.as_str(), "SELECT" | "WITH")) {
                    return Err("a subquery".to_owned());
                }
                let inner = self.expression(0)?;
                self.expect(&Token::RParen)?;
                Ok(inner)
            }
            Token::Word(word) => {
                if word.quote_style.is_some() {
                    return self.column(word.value);
                }
                self.named(&word.value)
            }
            other => Err(format!("`{other}`")),
        }
    }

    fn param(&mut self, mark: &str) -> Parsed<Node> {
        let digits = mark.trim_start_matches(|c: char| !c.is_ascii_digit());
        let place: usize = digits.parse().map_err(|_| format!("the parameter `{mark}`"))?;
        Ok(Node::Param(place - 1, self.value()))
    }

    fn column(&mut self, mut name: String) -> Parsed<Node> {
        while self.takes(&Token::Period) {
            match self.next() {
                Token::Word(word) => name = word.value,
                other => return Err(format!("`{other}` behind a dot")),
            }
        }
        Ok(Node::Column(name, self.value()))
    }

    fn named(&mut self, word: &str) -> Parsed<Node> {
        if let Some(number) = word.strip_prefix("@P") {
            return self.param(number);
        }
        let mut name = word.to_uppercase();
        match name.as_str() {
            "NULL" => return Ok(Node::Null),
            "CASE" => return self.case(),
            "CAST" => {
                self.expect(&Token::LParen)?;
                let value = self.expression(0)?;
                self.expect_word("AS")?;
                let ty = self.type_name();
                self.expect(&Token::RParen)?;
                return Ok(Node::Cast(Box::new(value), ty));
            }
            "DATE" => {
                if let Token::SingleQuotedString(text) = self.peek().clone() {
                    self.next();
                    return Ok(Node::Cast(Box::new(Node::Text(text)), "DATE".to_owned()));
                }
            }
            _ => {}
        }
        while self.takes(&Token::Period) {
            match self.next() {
                Token::Word(word) => name = format!("{name}.{}", word.value.to_uppercase()),
                other => return Err(format!("`{other}` behind a dot")),
            }
        }
        if !self.takes(&Token::LParen) {
            return Ok(Node::Word(name));
        }
        let mut args = Vec::new();
        while !self.takes(&Token::RParen) {
            if self.word().is_some_and(|word| matches!(word.as_str(), "SELECT" | "WITH")) {
                return Err("a subquery".to_owned());
            }
            // JSON_TRANSFORM(document, SET path = value).
            if self.takes_word("SET") {
                args.push(self.expression(COMPARE)?);
                self.expect(&Token::Eq)?;
            }
            args.push(self.expression(0)?);
            if self.takes_word("FROM") {
                name += " FROM";
            } else if self.takes(&Token::Colon) || self.takes_word("VALUE") || self.takes_word("FORMAT") {
                // A name of a JSON object and its value.
            } else if !self.takes(&Token::Comma) {
                // What a JSON function says besides its arguments, to its end.
                let (mut depth, begin) = (0, self.at);
                loop {
                    match self.peek() {
                        Token::RParen if depth == 0 => break,
                        Token::EOF => return Err("a call without an end".to_owned()),
                        Token::RParen => depth -= 1,
                        Token::LParen => depth += 1,
                        _ => {}
                    }
                    self.next();
                }
                if begin < self.at && !name.starts_with("JSON") {
                    return Err(format!("`{}` in {name}", self.tokens[begin]));
                }
            }
        }
        Ok(Node::Call(name, args))
    }

    /// The words and numbers of a type, in capitals and without blanks between brackets.
    fn type_name(&mut self) -> String {
        let (mut name, mut depth) = (String::new(), 0);
        loop {
            match self.peek() {
                Token::RParen if depth == 0 => return name,
                Token::EOF => return name,
                Token::LParen => depth += 1,
                Token::RParen => depth -= 1,
                Token::Word(_) if depth == 0 && !name.is_empty() => name.push(' '),
                _ => {}
            }
            name += &self.next().to_string().to_uppercase();
        }
    }

    fn case(&mut self) -> Parsed<Node> {
        let operand = if self.word().as_deref() == Some("WHEN") { None } else { Some(Box::new(self.expression(0)?)) };
        let mut arms = Vec::new();
        while self.takes_word("WHEN") {
            let when = self.expression(0)?;
            self.expect_word("THEN")?;
            arms.push((when, self.expression(0)?));
        }
        let otherwise = if self.takes_word("ELSE") { Some(Box::new(self.expression(0)?)) } else { None };
        self.expect_word("END")?;
        Ok(Node::Case { operand, arms, otherwise })
    }
}
