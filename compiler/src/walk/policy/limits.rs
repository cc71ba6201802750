//! What a node may be by itself: its kind, its size, what it calls, which entity it names.

use std::collections::HashMap;

use super::known::Known;
use super::{Broken, PolicyRule, Refusal, values};
use crate::expr::{
    ConflictAction, FunctionExpr, InsertSource, LogicExpr, LogicOperator, Name, SelectExpr, SqlSegment, TableExpr,
    Value, ValueTypeExpr,
};
use crate::walk::cycle::CycleDetector;
use crate::walk::node::{ExprRef, ExprType};
use crate::walk::path::{Path, Step, Trail};
use crate::walk::visit::{Visit, Walk};

pub(super) fn check(known: &Known<'_>, root: ExprRef<'_>) -> Result<(), Refusal> {
    let queries = matches!(root, ExprRef::Segment(_) | ExprRef::Select(_));
    let mut limits = Measures { known, queries, nodes: 0, text: 0, joins: 0, nesting: 0, open: Vec::new() };
    let mut walk = Walk::new(root);
    let mut common_tables = false;
    while let Some(visit) = walk.next() {
        match visit {
            Visit::Enter(node) => {
                common_tables |= node.kind() == ExprType::CommonTable;
                limits.enter(node, &walk).map_err(|broken| Refusal::new(walk.trail(), node.kind(), broken))?;
            }
            Visit::Leave(node) => limits.leave(node, walk.step()),
        }
    }
    if common_tables {
        check_common_tables(root)?;
    }
    Ok(())
}

/// A kind of node as a stranger knows it: `a row lock`, `UPDATE`.
fn described(kind: ExprType) -> String {
    let words = kind.words().split(['.', ',', ':']).next().unwrap_or_default();
    // An article gets small, a word of SQL stays.
    let mut chars = words.chars();
    match (chars.next(), words.chars().nth(1)) {
        (Some(first), Some(second)) if !second.is_uppercase() => first.to_lowercase().chain(chars).collect(),
        _ => words.to_owned(),
    }
}

struct Measures<'p, 'a> {
    known: &'p Known<'p>,
    /// Whether the tree is a query, which has an outermost source.
    queries: bool,
    nodes: usize,
    text: usize,
    joins: usize,
    nesting: usize,
    /// The definitions of common tables that the walk is inside of.
    open: Vec<&'a Name>,
}

impl<'a> Measures<'_, 'a> {
    fn enter(&mut self, node: ExprRef<'a>, walk: &Walk<'a>) -> Result<(), Broken> {
        let policy = self.known.policy;
        if !policy.kinds.contains(node.kind()) {
            return Err((PolicyRule::Kind, format!("{} is not allowed", described(node.kind()))));
        }
        at_most(PolicyRule::Depth, "the tree is deeper than", walk.depth(), policy.max_depth)?;
        self.count(1)?;
        if let Some(Step::Item(_, index) | Step::Entry(_, index, _)) = walk.step() {
            at_most(PolicyRule::ListItems, "a list is longer than", index.saturating_add(1), policy.max_list_items)?;
        }
        if nests(node, walk.step()) {
            self.nesting += 1;
            at_most(PolicyRule::Nesting, "subqueries nest deeper than", self.nesting, policy.max_nesting)?;
        }
        self.again(node, walk.trail())?;
        self.content(node)
    }

    /// The root is the source of the whole query, and nothing else unless that is allowed.
    fn again(&self, node: ExprRef<'a>, trail: &Trail<'_>) -> Result<(), Broken> {
        let entity = match node {
            ExprRef::Segment(SqlSegment::Table(table)) => &table.entity,
            ExprRef::Logic(LogicExpr::Foreign(foreign)) => &foreign.entity,
            _ => return Ok(()),
        };
        let known = self.known;
        let outermost = self.queries && is_outermost(trail);
        if outermost || known.allowed(entity).is_none_or(|entity| known.reads(entity)) {
            return Ok(());
        }
        Err((PolicyRule::Entity, format!("the entity {} is available as the outermost source only", quoted(entity))))
    }

    fn leave(&mut self, node: ExprRef<'a>, step: Option<Step<'a>>) {
        if nests(node, step) {
            self.nesting -= 1;
        }
        if let ExprRef::Segment(SqlSegment::CommonTable(table)) = node
            && table.source.is_some()
        {
            self.open.pop();
        }
    }

    fn content(&mut self, node: ExprRef<'a>) -> Result<(), Broken> {
        match node {
            ExprRef::Logic(LogicExpr::Binary(node)) if !self.known.policy.operators.contains(&node.operator) => {
                Err((PolicyRule::Operator, format!("the comparison `{}` is not allowed", node.operator.sign())))
            }
            ExprRef::Logic(LogicExpr::Binary(node)) if is_constant(&node.left) && is_constant(&node.right) => {
                let message = "a comparison of constants names no property: one is written {\"#\": \"Name\"}";
                Err((PolicyRule::NoProperty, message.to_owned()))
            }
            ExprRef::Logic(LogicExpr::Binary(node)) if takes_pattern(node.operator) => {
                let most = self.known.policy.max_pattern_bytes;
                at_most(PolicyRule::PatternBytes, "a pattern has more bytes than", literal_bytes(&node.right), most)
            }
            ExprRef::Logic(LogicExpr::Foreign(node)) => {
                self.alias(node.alias.as_ref())?;
                self.entity(&node.entity, &node.table_args)
            }
            ExprRef::Logic(LogicExpr::Sql(node)) | ExprRef::Value(ValueTypeExpr::Sql(node)) => {
                if !self.known.policy.fragments.contains(&node.key) {
                    return Err((PolicyRule::Fragment, format!("the fragment {} is not allowed", quoted(&node.key))));
                }
                self.name(&node.key)?;
                self.value(&node.arg)
            }
            ExprRef::Value(ValueTypeExpr::Value(node)) | ExprRef::Constant(node) => self.value(&node.value),
            ExprRef::Value(ValueTypeExpr::Property(node)) => {
                node.alias.as_ref().map_or(Ok(()), |alias| self.name(alias))?;
                self.name(&node.name)
            }
            ExprRef::Value(ValueTypeExpr::Binary(node)) => values::computed(node),
            ExprRef::Value(ValueTypeExpr::Unary(node)) => values::negated(node),
            ExprRef::Value(ValueTypeExpr::Function(node)) => self.function(node),
            ExprRef::Function(node) => self.function(node),
            ExprRef::Segment(SqlSegment::Table(node)) => self.table(node),
            ExprRef::Table(node) => self.table(node),
            ExprRef::Segment(SqlSegment::Select(node)) => self.alias(node.alias.as_ref()),
            ExprRef::Select(node) => self.alias(node.alias.as_ref()),
            ExprRef::SelectItem(node) => self.alias(node.alias.as_ref()),
            ExprRef::Segment(SqlSegment::CommonTable(node)) => {
                if self.open.contains(&&node.alias) {
                    let message = format!("the common table {} refers to itself", quoted(&node.alias));
                    return Err((PolicyRule::Recursion, message));
                }
                if node.source.is_some() {
                    self.open.push(&node.alias);
                }
                self.alias(Some(&node.alias))
            }
            ExprRef::Segment(SqlSegment::Section(node)) => match self.known.policy.max_take {
                Some(most) if node.take.is_none_or(|take| take > most) => Err((
                    PolicyRule::Take,
                    format!("more than {most} rows are asked for: give a Take of at most {most}"),
                )),
                _ => Ok(()),
            },
            ExprRef::TableJoin(_) => {
                self.joins += 1;
                at_most(PolicyRule::Joins, "there are more joins than", self.joins, self.known.policy.max_joins)
            }
            ExprRef::Insert(node) => {
                if let InsertSource::Values(values) = &node.source {
                    let rows = values.len().div_ceil(node.columns.len().max(1));
                    at_most(PolicyRule::ListItems, "a list is longer than", rows, self.known.policy.max_list_items)?;
                    self.count(values.len())?;
                    values.iter().try_for_each(|value| self.value(value))?;
                }
                let conflict = node.conflict.as_ref();
                let target = conflict.map_or(&[][..], |conflict| &conflict.target);
                self.items(node.columns.len())?;
                self.items(target.len())?;
                node.columns.iter().chain(target).try_for_each(|name| self.name(name))?;
                match conflict.map(|conflict| &conflict.action) {
                    Some(ConflictAction::Update(sets)) => sets.iter().try_for_each(|(name, _)| self.name(name)),
                    _ => Ok(()),
                }
            }
            ExprRef::Update(node) => node.sets.iter().try_for_each(|(name, _)| self.name(name)),
            _ => Ok(()),
        }
    }

    fn count(&mut self, nodes: usize) -> Result<(), Broken> {
        self.nodes = self.nodes.saturating_add(nodes);
        at_most(PolicyRule::Nodes, "nodes and list values are more than", self.nodes, self.known.policy.max_nodes)
    }

    /// A list of what is no node of its own.
    fn items(&mut self, items: usize) -> Result<(), Broken> {
        at_most(PolicyRule::ListItems, "a list is longer than", items, self.known.policy.max_list_items)?;
        self.count(items)
    }

    fn bytes(&mut self, bytes: usize) -> Result<(), Broken> {
        self.text = self.text.saturating_add(bytes);
        at_most(
            PolicyRule::TextBytes,
            "names and texts have more bytes than",
            self.text,
            self.known.policy.max_text_bytes,
        )
    }

    fn name(&mut self, name: &Name) -> Result<(), Broken> {
        self.bytes(name.as_str().len())
    }

    /// A name that the tree brings in: unlike the others, it is not looked up.
    fn alias(&mut self, alias: Option<&Name>) -> Result<(), Broken> {
        match alias {
            Some(alias) if alias.as_str().len() > Name::MAX_LEN => Err((
                PolicyRule::Alias,
                format!("{} is no alias: it is over {} bytes long", quoted(alias), Name::MAX_LEN),
            )),
            Some(alias) if !Name::is_plain(alias.as_str()) => {
                Err((PolicyRule::Alias, format!("{} is no alias: letters, digits and `_` only", quoted(alias))))
            }
            Some(alias) => self.name(alias),
            None => Ok(()),
        }
    }

    fn function(&mut self, node: &FunctionExpr) -> Result<(), Broken> {
        if !self.known.policy.functions.contains(&node.name) {
            return Err((PolicyRule::Function, format!("the function {} is not allowed", quoted(&node.name))));
        }
        values::span(node)?;
        self.name(&node.name)
    }

    fn table(&mut self, node: &TableExpr) -> Result<(), Broken> {
        self.alias(node.alias.as_ref())?;
        if !node.filters_off.is_empty() {
            return Err((PolicyRule::FilterOff, format!("no filter of {} may be off", quoted(&node.entity))));
        }
        self.entity(&node.entity, &node.table_args)
    }

    fn entity(&mut self, entity: &Name, table_args: &[compact_str::CompactString]) -> Result<(), Broken> {
        if self.known.allowed(entity).is_none() {
            return Err((PolicyRule::Entity, format!("the entity {} is not available", quoted(entity))));
        }
        if !table_args.is_empty() && !self.known.policy.table_args {
            return Err((PolicyRule::TableArgs, format!("arguments of the table {} are not allowed", quoted(entity))));
        }
        self.name(entity)?;
        self.items(table_args.len())?;
        table_args.iter().try_for_each(|arg| self.bytes(arg.len()))
    }

    /// Values nest in lists and maps.
    fn value(&mut self, value: &Value) -> Result<(), Broken> {
        let mut waiting = vec![value];
        while let Some(value) = waiting.pop() {
            values::value(value)?;
            let items = match value {
                Value::Text(text) => {
                    self.bytes(text.len())?;
                    continue;
                }
                Value::Json(text) => {
                    self.bytes(text.len())?;
                    continue;
                }
                Value::Bytes(bytes) => {
                    self.bytes(bytes.len())?;
                    continue;
                }
                Value::List(items) => {
                    waiting.extend(items);
                    items.len()
                }
                Value::Map(entries) => {
                    entries.iter().try_for_each(|(key, _)| self.bytes(key.len()))?;
                    waiting.extend(entries.iter().map(|(_, value)| value));
                    entries.len()
                }
                _ => continue,
            };
            self.items(items)?;
        }
        Ok(())
    }
}

fn at_most(rule: PolicyRule, what: &str, is: usize, most: usize) -> Result<(), Broken> {
    if is <= most { Ok(()) } else { Err((rule, format!("{what} {most}"))) }
}

/// A name for a message: cut, as it is the stranger's.
pub(super) fn quoted(name: &Name) -> String {
    let cut: String = name.as_str().chars().take(64).map(|c| if c.is_control() { '?' } else { c }).collect();
    format!("`{cut}`")
}

/// Whether it is a plain value, or a list or row of such. A name without its `#` is one.
fn is_constant(value: &ValueTypeExpr) -> bool {
    match value {
        ValueTypeExpr::Value(_) => true,
        ValueTypeExpr::Set(set) => set.items.iter().all(|item| matches!(item, ValueTypeExpr::Value(_))),
        _ => false,
    }
}

fn takes_pattern(operator: LogicOperator) -> bool {
    use LogicOperator as O;
    matches!(
        operator.positive(),
        O::Like
            | O::ILike
            | O::Contains
            | O::IContains
            | O::StartsWith
            | O::IStartsWith
            | O::EndsWith
            | O::IEndsWith
            | O::RegexpLike
    )
}

/// How long the texts are that a value is made of and the tree has written out.
fn literal_bytes(value: &ValueTypeExpr) -> usize {
    let bytes = |visit| match visit {
        Visit::Enter(ExprRef::Value(ValueTypeExpr::Value(node)) | ExprRef::Constant(node)) => match &node.value {
            Value::Text(text) => text.len(),
            Value::Json(text) => text.len(),
            Value::Bytes(bytes) => bytes.len(),
            _ => 0,
        },
        _ => 0,
    };
    Walk::new(value).map(bytes).fold(0, usize::saturating_add)
}

/// Whether it is the source of the whole query: each clause above it hands its rows on. A common table may be read twice.
fn is_outermost(trail: &Trail<'_>) -> bool {
    trail.steps().iter().all(|step| match step {
        Step::Same => true,
        Step::Key(key) => key.starts_with('$') && *key != "$cte",
        _ => false,
    })
}

/// Whether the node begins a query within a query.
fn nests(node: ExprRef<'_>, step: Option<Step<'_>>) -> bool {
    match node {
        ExprRef::Logic(LogicExpr::Foreign(_) | LogicExpr::Exists(_)) => true,
        ExprRef::Value(ValueTypeExpr::Query(_)) => true,
        ExprRef::Segment(SqlSegment::CommonTable(table)) => table.source.is_some(),
        // A derived table. A select in an operand or an EXISTS was counted with these.
        ExprRef::Segment(SqlSegment::Select(_)) => {
            matches!(step, Some(Step::Key(key)) if key.starts_with('$') && key != "$exists")
        }
        _ => false,
    }
}

/// Every reference has one definition, and none leads back to itself.
fn check_common_tables(root: ExprRef<'_>) -> Result<(), Refusal> {
    let definitions = definitions(root)?;
    let mut walk = Walk::new(root);
    while let Some(visit) = walk.next() {
        if let Visit::Enter(ExprRef::Segment(SqlSegment::CommonTable(table))) = visit {
            let broken = match definitions.get(&table.alias) {
                None => Some((PolicyRule::CommonTable, format!("no common table {} is defined", quoted(&table.alias)))),
                Some(select) if select.selects.is_empty() => Some((
                    PolicyRule::SelectAll,
                    format!("the common table {} needs a select list", quoted(&table.alias)),
                )),
                _ => None,
            };
            if let Some(broken) = broken {
                return Err(Refusal::new(walk.trail(), ExprType::CommonTable, broken));
            }
        }
    }
    match CycleDetector::detect(root).cycle_node {
        Some(name) => {
            let message = format!("the common table {} leads back to itself", quoted(&name));
            Err(Refusal::new(Path::root(), ExprType::CommonTable, (PolicyRule::Recursion, message)))
        }
        None => Ok(()),
    }
}

/// The definitions of common tables.
pub(super) fn definitions(root: ExprRef<'_>) -> Result<HashMap<&Name, &SelectExpr>, Refusal> {
    let mut definitions: HashMap<&Name, &SelectExpr> = HashMap::new();
    let mut walk = Walk::new(root);
    while let Some(visit) = walk.next() {
        if let Visit::Enter(ExprRef::Segment(SqlSegment::CommonTable(table))) = visit
            && let Some(select) = &table.source
            && *definitions.entry(&table.alias).or_insert(select) != select
        {
            let message = format!("the common table {} is defined in two ways", quoted(&table.alias));
            return Err(Refusal::new(walk.trail(), ExprType::CommonTable, (PolicyRule::CommonTable, message)));
        }
    }
    Ok(definitions)
}
