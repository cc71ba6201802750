//! The tokens in their brackets.

use super::token::{Token, TokenKind};

/// A token, or what stands between two that belong together.
#[derive(Debug, Clone)]
pub(super) enum Node<'t> {
    Leaf(Token<'t>),
    /// `( .. )`
    Group(Vec<Node<'t>>),
    /// `CASE .. END`
    Case(Vec<Node<'t>>),
}

impl<'t> Node<'t> {
    pub fn is_word(&self, word: &str) -> bool {
        self.leaf().is_some_and(|token| token.is_word(word))
    }

    pub fn is_symbol(&self, symbol: &str) -> bool {
        self.leaf().is_some_and(|token| token.is_symbol(symbol))
    }

    pub fn is(&self, kind: TokenKind) -> bool {
        self.leaf().is_some_and(|token| token.kind == kind)
    }

    pub fn leaf(&self) -> Option<&Token<'t>> {
        match self {
            Node::Leaf(token) => Some(token),
            Node::Group(_) | Node::Case(_) => None,
        }
    }

    pub fn group(&self) -> Option<&[Node<'t>]> {
        match self {
            Node::Group(nodes) => Some(nodes),
            Node::Leaf(_) | Node::Case(_) => None,
        }
    }

    /// A keyword, or a name without quotes, in capitals.
    pub fn word(&self) -> Option<String> {
        self.leaf().filter(|token| token.kind == TokenKind::Word).map(|token| token.text.to_ascii_uppercase())
    }

    /// Whether it or anything in it is such.
    pub fn any(&self, is: &mut dyn FnMut(&Node<'t>) -> bool) -> bool {
        is(self)
            || match self {
                Node::Leaf(_) => false,
                Node::Group(nodes) | Node::Case(nodes) => nodes.iter().any(|node| node.any(is)),
            }
    }
}

/// Puts tokens into their brackets; comments are left out.
///
/// # Errors
/// The bracket, or the word of a CASE, that has no partner.
pub(super) fn tree<'t>(tokens: &[Token<'t>]) -> Result<Vec<Node<'t>>, &'t str> {
    let mut open: Vec<(Token<'t>, Vec<Node<'t>>)> = Vec::new();
    let mut nodes = Vec::new();
    for token in tokens.iter().filter(|token| token.kind != TokenKind::Comment) {
        if token.is_symbol("(") || token.is_word("CASE") {
            open.push((*token, std::mem::take(&mut nodes)));
            continue;
        }
        let closes =
            [(")", "("), ("END", "CASE")].into_iter().find(|(close, _)| token.is_symbol(close) || token.is_word(close));
        let Some((_, opener)) = closes else {
            nodes.push(Node::Leaf(*token));
            continue;
        };
        match open.pop() {
            Some((begin, before)) if begin.text.eq_ignore_ascii_case(opener) => {
                let inside = std::mem::replace(&mut nodes, before);
                nodes.push(if opener == "(" { Node::Group(inside) } else { Node::Case(inside) });
            }
            _ => return Err(token.text),
        }
    }
    open.last().map_or(Ok(nodes), |(begin, _)| Err(begin.text))
}

/// What stands between the commas.
pub(super) fn commas<'n, 't>(nodes: &'n [Node<'t>]) -> impl Iterator<Item = &'n [Node<'t>]> {
    nodes.split(|node| node.is_symbol(",")).filter(|part| !part.is_empty())
}

/// The text again.
pub(super) fn text(nodes: &[Node<'_>]) -> String {
    let mut out = String::new();
    write(&mut out, nodes);
    out
}

/// The text again, for a message.
pub(super) fn show(nodes: &[Node<'_>]) -> String {
    let mut out = text(nodes);
    if out.chars().count() > 120 {
        out = out.chars().take(120).chain(" ..".chars()).collect();
    }
    out
}

fn write(out: &mut String, nodes: &[Node<'_>]) {
    for (at, node) in nodes.iter().enumerate() {
        if at > 0 && !node.is_symbol(",") {
            out.push(' ');
        }
        match node {
            Node::Leaf(token) => out.push_str(token.text),
            Node::Group(inside) => {
                out.push('(');
                write(out, inside);
                out.push(')');
            }
            Node::Case(inside) => {
                out.push_str("CASE ");
                write(out, inside);
                out.push_str(" END");
            }
        }
    }
}
