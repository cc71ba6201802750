//! How much a tree becomes where its columns of derived tables are written out: the texts that it builds, and its nodes.
//!
//! A text is measured by how many texts of a row it may hold. One of a table or a short literal holds itself, a
//! concatenation all of its arguments, a column of a derived table what its item holds. So a few lists above one another
//! multiply, and engines keep what lies between, too. Engines also write such a column out wherever it is named, as the
//! compiler does with the keys of an order behind a list: that multiplies the nodes.
//!
//! Columns are told by their names alone. Where a name may mean several, it counts as the largest.

use std::collections::{HashMap, HashSet};

use super::limits::definitions;
use super::names::label;
use super::{Broken, PolicyRule, QueryPolicy, Refusal};
use crate::expr::{
    DbValueType, FunctionExpr, LogicExpr, Name, SelectExpr, SqlSegment, Value, ValueJoinType, ValueOperator,
    ValueTypeExpr,
};
use crate::functions::{Func, ResultType};
use crate::walk::node::{ExprRef, ExprType};
use crate::walk::path::{Step, Trail};
use crate::walk::visit::{Visit, Walk};

/// How many bytes of a literal count as one text.
const LITERAL: usize = 1024;

pub(super) fn check(policy: &QueryPolicy, root: ExprRef<'_>) -> Result<(), Refusal> {
    let mut growth = Growth { policy, columns: ColumnSizes::default(), tables: HashMap::new(), nodes: 0, orders: 0 };
    let common = if policy.kinds.contains(ExprType::CommonTable) { definitions(root)? } else { HashMap::new() };
    for (name, select) in inside_out(root, &common) {
        let size = growth.measure(select.into()).map_err(|refusal| refusal.below(root, select))?;
        growth.tables.insert(name, size.texts);
        growth.columns.keep();
    }
    growth.measure(root).map(|_| ()).map_err(Finding::into_refusal)
}

/// The definitions of common tables, each behind those that it refers to. None leads back to itself.
fn inside_out<'a>(
    root: ExprRef<'a>,
    definitions: &HashMap<&'a Name, &'a SelectExpr>,
) -> Vec<(&'a Name, &'a SelectExpr)> {
    let mut found = Vec::with_capacity(definitions.len());
    if definitions.is_empty() {
        return found;
    }
    let mut seen = HashSet::new();
    let mut waiting: Vec<(&'a Name, bool)> = Vec::new();
    referred(root, &mut waiting);
    while let Some((name, done)) = waiting.pop() {
        let Some(select) = definitions.get(name).copied() else { continue };
        if done {
            found.push((name, select));
        } else if seen.insert(name) {
            waiting.push((name, true));
            referred(select.into(), &mut waiting);
        }
    }
    found
}

/// The common tables that a tree names, but for those inside of other definitions.
fn referred<'a>(root: ExprRef<'a>, names: &mut Vec<(&'a Name, bool)>) {
    let mut walk = Walk::new(root);
    while let Some(visit) = walk.next() {
        if let Visit::Enter(ExprRef::Segment(SqlSegment::CommonTable(table))) = visit {
            names.push((&table.alias, false));
            walk.skip_children();
        }
    }
}

/// What a value may become.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    /// How many texts of a row it may hold.
    texts: usize,
    /// How many nodes it has where the columns that it names are written out.
    nodes: usize,
}

impl Size {
    fn or(self, other: Self) -> Self {
        Self { texts: self.texts.max(other.texts), nodes: self.nodes.max(other.nodes) }
    }
}

/// The columns of select lists that an expression may name.
#[derive(Default)]
struct ColumnSizes<'a> {
    /// Of each name the sizes so far, each the largest up to it. No name: a column of any name.
    sizes: HashMap<Option<&'a Name>, Vec<Size>>,
    /// What was added, in that order.
    log: Vec<Option<&'a Name>>,
    /// Those of common tables, which are in scope everywhere.
    common: HashMap<Option<&'a Name>, Size>,
}

impl<'a> ColumnSizes<'a> {
    fn add(&mut self, name: Option<&'a Name>, size: Size) {
        let sizes = self.sizes.entry(name).or_default();
        let largest = sizes.last().map_or(size, |last| last.or(size));
        sizes.push(largest);
        self.log.push(name);
    }

    fn forget(&mut self, mark: usize) {
        for name in self.log.drain(mark.min(self.log.len())..) {
            self.sizes.get_mut(&name).map(Vec::pop);
        }
    }

    /// Makes what is in scope columns of common tables.
    fn keep(&mut self) {
        for name in self.log.drain(..) {
            let Some(size) = self.sizes.remove(&name).and_then(|sizes| sizes.last().copied()) else { continue };
            let common = self.common.entry(name).or_default();
            *common = common.or(size);
        }
    }

    fn get(&self, name: &'a Name) -> Size {
        let of = |name| {
            let size = self.sizes.get(&name).and_then(|sizes| sizes.last().copied()).unwrap_or_default();
            size.or(self.common.get(&name).copied().unwrap_or_default())
        };
        of(Some(name)).or(of(None))
    }
}

/// A node that the walk is inside of.
#[derive(Default)]
struct OpenNode<'a> {
    /// How many columns were in scope before it.
    mark: usize,
    /// How many nodes came before it.
    nodes: usize,
    /// The texts of its first value, the largest of its values, and all together.
    first: usize,
    most: usize,
    sum: usize,
    /// The largest column of its sources.
    rows: usize,
    /// The items of its list.
    items: Vec<(Option<&'a Name>, Size)>,
    /// The largest column of its further members.
    members: Option<Size>,
}

/// A refusal at the place where the walk is.
struct Finding<'a> {
    trail: Trail<'a>,
    node: ExprType,
    rule: PolicyRule,
    message: String,
}

impl<'a> Finding<'a> {
    fn into_refusal(self) -> Refusal {
        Refusal::new(&self.trail, self.node, (self.rule, self.message))
    }

    /// The same, seen from the root of the tree that has this definition.
    fn below(self, root: ExprRef<'a>, definition: &'a SelectExpr) -> Refusal {
        let mut walk = Walk::new(root);
        let mut steps: Vec<Step<'a>> = Vec::new();
        while let Some(visit) = walk.next() {
            if let Visit::Enter(ExprRef::Select(select)) = visit
                && std::ptr::eq(select, definition)
            {
                steps.extend(walk.trail().steps());
                break;
            }
        }
        steps.extend(self.trail.steps());
        Self { trail: steps.into_iter().collect(), ..self }.into_refusal()
    }
}

struct Growth<'a> {
    policy: &'a QueryPolicy,
    columns: ColumnSizes<'a>,
    /// The texts of the largest column of each common table.
    tables: HashMap<&'a Name, usize>,
    nodes: usize,
    /// How many orders the walk is inside of.
    orders: usize,
}

impl<'a> Growth<'a> {
    /// Measures a tree, from its leaves up. Definitions of common tables inside of it were measured before.
    fn measure(&mut self, root: ExprRef<'a>) -> Result<Size, Finding<'a>> {
        let mut walk = Walk::new(root);
        let mut open: Vec<OpenNode<'a>> = Vec::new();
        let mut whole = Size::default();
        while let Some(visit) = walk.next() {
            match visit {
                Visit::Enter(node) => {
                    open.push(OpenNode { mark: self.columns.log.len(), nodes: self.nodes, ..OpenNode::default() });
                    self.nodes = self.nodes.saturating_add(1);
                    match node {
                        ExprRef::Segment(SqlSegment::CommonTable(_)) => walk.skip_children(),
                        ExprRef::Segment(SqlSegment::OrderBy(_)) => self.orders += 1,
                        _ => {}
                    }
                }
                Visit::Leave(node) => {
                    let Some(inside) = open.pop() else { continue };
                    let at =
                        |(rule, message)| Finding { trail: walk.trail().clone(), node: node.kind(), rule, message };
                    let size = self.leave(node, inside).map_err(at)?;
                    match open.last_mut() {
                        Some(parent) => parent.add(node, size),
                        None => whole = size,
                    }
                }
            }
        }
        Ok(whole)
    }

    fn leave(&mut self, node: ExprRef<'a>, inside: OpenNode<'a>) -> Result<Size, Broken> {
        let mark = inside.mark;
        let before = inside.nodes;
        let texts = match node {
            ExprRef::Value(value) => self.value(value, &inside)?,
            ExprRef::Function(function) => self.function(function, &inside)?,
            ExprRef::SelectItem(_) => inside.most,
            ExprRef::Select(select) => return self.list(select, inside),
            ExprRef::Segment(SqlSegment::Select(select)) => return self.list(select, inside),
            ExprRef::Segment(SqlSegment::CommonTable(table)) => self.tables.get(&table.alias).copied().unwrap_or(1),
            ExprRef::Segment(SqlSegment::Table(_)) => 1,
            ExprRef::Segment(SqlSegment::OrderBy(_)) => {
                self.orders = self.orders.saturating_sub(1);
                inside.rows
            }
            ExprRef::Segment(_) | ExprRef::TableJoin(_) => inside.rows,
            _ => 0,
        };
        let most = self.policy.max_nodes;
        if self.nodes > most {
            let message = format!("nodes are more than {most}, each column of a derived table written out");
            return Err((PolicyRule::Nodes, message));
        }
        // Nothing behind a subquery names its columns.
        if matches!(node, ExprRef::Value(ValueTypeExpr::Query(_)) | ExprRef::Logic(LogicExpr::Exists(_))) {
            self.columns.forget(mark);
        }
        Ok(Size { texts, nodes: self.nodes.saturating_sub(before) })
    }

    /// A list hides the columns below it, but for the keys of an order. One without items passes them on.
    fn list(&mut self, select: &'a SelectExpr, inside: OpenNode<'a>) -> Result<Size, Broken> {
        let parts = inside.items.iter().fold(0_usize, |sum, (_, size)| sum.saturating_add(size.texts));
        let most = self.policy.max_row_parts;
        if parts > most {
            return Err((PolicyRule::RowParts, format!("a row holds {parts} texts, more than {most}")));
        }
        let members = inside.members.unwrap_or_default();
        let mut largest = members;
        if select.selects.is_empty() {
            largest.texts = largest.texts.max(inside.rows);
            if inside.members.is_some() {
                self.columns.add(None, members);
            }
        } else {
            if self.orders == 0 {
                self.columns.forget(inside.mark);
            }
            for (name, size) in inside.items {
                largest = largest.or(size);
                self.columns.add(name, size.or(members));
            }
        }
        Ok(largest)
    }

    fn value(&mut self, value: &'a ValueTypeExpr, inside: &OpenNode<'a>) -> Result<usize, Broken> {
        Ok(match value {
            ValueTypeExpr::Value(node) => match &node.value {
                Value::Text(text) => text.len().div_ceil(LITERAL),
                Value::Json(text) => text.len().div_ceil(LITERAL),
                Value::Bytes(bytes) => bytes.len().div_ceil(LITERAL),
                _ => 1,
            }
            .max(1),
            ValueTypeExpr::Property(property) => {
                let size = self.columns.get(&property.name);
                self.nodes = self.nodes.saturating_add(size.nodes);
                size.texts.max(1)
            }
            ValueTypeExpr::Binary(node) if node.operator == ValueOperator::Concat => self.built(inside.sum)?,
            ValueTypeExpr::Set(node) if node.join != ValueJoinType::List => self.built(inside.sum)?,
            ValueTypeExpr::Function(function) => self.function(function, inside)?,
            // Read as text again, bytes are two digits each.
            ValueTypeExpr::Cast(node) if node.to.base == DbValueType::Binary => {
                self.built(inside.most.saturating_mul(2))?
            }
            ValueTypeExpr::Window(_) => inside.first,
            ValueTypeExpr::Query(_) => inside.rows.max(1),
            // The conditions of a CASE count for nothing.
            ValueTypeExpr::Set(_) | ValueTypeExpr::Case(_) | ValueTypeExpr::Cast(_) | ValueTypeExpr::Unary(_) => {
                inside.most.max(1)
            }
            // Numbers and truth values. What a fragment gives is the program's.
            ValueTypeExpr::Binary(_) | ValueTypeExpr::Truth(_) | ValueTypeExpr::Sql(_) => 1,
        })
    }

    /// What gives a text longer than each of its arguments is not among the safe functions, but for `Concat`: a program
    /// that allows it by name has it counted as all of its arguments together.
    fn function(&self, node: &FunctionExpr, inside: &OpenNode<'a>) -> Result<usize, Broken> {
        use Func as F;
        let Some(func) = Func::from_name(node.name.as_str()) else { return self.built(inside.sum) };
        match (func, func.signature().result) {
            (F::ConcatWs, _) => {
                let between = inside.first.saturating_mul(node.args.len().saturating_sub(2));
                self.built(inside.sum.saturating_add(between).saturating_sub(inside.first))
            }
            (
                F::Concat
                | F::Insert
                | F::Replace
                | F::RegexpReplace
                | F::PadLeft
                | F::PadRight
                | F::StringAgg
                | F::JsonSet
                | F::JsonObject
                | F::JsonArray,
                _,
            ) => self.built(inside.sum),
            (_, ResultType::Is(ty)) if !ty.is_text() && ty != DbValueType::Json => Ok(1),
            _ => Ok(inside.most.max(1)),
        }
    }

    fn built(&self, texts: usize) -> Result<usize, Broken> {
        let most = self.policy.max_text_parts;
        if texts <= most {
            return Ok(texts.max(1));
        }
        Err((PolicyRule::TextParts, format!("a text is put together of {texts} texts, more than {most}")))
    }
}

impl<'a> OpenNode<'a> {
    fn add(&mut self, child: ExprRef<'a>, size: Size) {
        match child {
            ExprRef::Value(_) | ExprRef::Function(_) => {
                if self.sum == 0 {
                    self.first = size.texts;
                }
                self.most = self.most.max(size.texts);
                self.sum = self.sum.saturating_add(size.texts);
            }
            ExprRef::Segment(_) | ExprRef::TableJoin(_) => self.rows = self.rows.max(size.texts),
            ExprRef::Select(_) => self.members = Some(self.members.unwrap_or_default().or(size)),
            ExprRef::SelectItem(item) => self.items.push((label(item), size)),
            _ => {}
        }
    }
}
