//! What clients of one view may ask: filters, orders and pages of its rows.

use serde_json::{Value, json};

use super::closed::{Closed, any_of, boolean, one_of, tuple};
use super::literal::{LiteralClass, argument};
use super::{Grammar, Notations};
use crate::expr::{LogicOperator, Name, UnaryOperator};
use crate::functions::{ArgKind, Class, Func, Signature};
use crate::json::words::{Marker, UNARY_OPERATORS, spell};
use crate::model::{Catalog, Property};
use crate::walk::{Allowed, ExprType, QueryPolicy, UnknownName};

/// The schema of the filters, orders and pages that a policy allows on its view.
///
/// It has the canonical forms that clients of one view need: conditions, also along relations, order keys, and paging.
/// Properties are those of the view, and functions are scalar ones that the policy allows. A comparison with a property
/// on the left is one of its type, and a literal on the right has that type. Inside of an EXISTS, names are those of
/// its entity. Joins, groups, aggregates, windows and selects are left out, even if the policy allows them.
///
/// ```
/// use isogloss_compiler::expr::DbValueType::{Int32, String};
/// use isogloss_compiler::json::schema;
/// use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
/// use isogloss_compiler::walk::QueryPolicy;
/// let user = TableDef::new("User")
///     .column(ColumnDef::new("Id", Int32).primary_key())
///     .column(ColumnDef::new("Name", String))
///     .column(ColumnDef::new("Password", String).not_filterable());
/// let catalog = Catalog::builder().table(user).build()?;
///
/// let schema = schema::of_view(&catalog, &QueryPolicy::new("User"))?;
/// let texts = &schema["$defs"]["TextProperty_User"]["properties"]["#"];
/// assert_eq!(texts.to_string(), r#"{"const":"Name"}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The policy has a name that the catalog does not have.
pub fn of_view(catalog: &Catalog, policy: &QueryPolicy) -> Result<Value, UnknownName> {
    let allowed = policy.allowed(catalog)?;
    let mut view = Narrowed { catalog, policy, grammar: Grammar::new(Notations::Canonical) };
    view.grammar.define_plain();
    view.grammar
        .define("Scalar", vec![json!({ "type": ["null", "boolean", "number", "string"] }), view.grammar.at("Typed")]);
    for allowed in &allowed {
        view.grammar.scope = scope(allowed.entity);
        view.define_logic(allowed);
        view.define_values();
    }
    let root = allowed.first().map_or_else(Name::default, |root| root.entity.clone());
    view.grammar.scope = scope(&root);
    view.define_queries(&root);
    let expr = format!("Expr{}", view.grammar.scope);
    Ok(view.grammar.schema(&format!("A filter, an order or a page of {}", root.as_str()), &expr))
}

/// What the definitions about an entity's rows end with.
fn scope(entity: &Name) -> String {
    format!("_{}", entity.as_str().replace('.', "_"))
}

struct Narrowed<'a> {
    catalog: &'a Catalog,
    policy: &'a QueryPolicy,
    grammar: Grammar,
}

impl Narrowed<'_> {
    fn list(&self, item: Value) -> Value {
        json!({ "type": "array", "items": item, "maxItems": self.policy.list_items() })
    }

    /// A definition that is the same for all entities.
    fn shared(&self, name: &str) -> Value {
        json!({ "$ref": format!("#/$defs/{name}") })
    }

    /// A literal by itself, or as a parameter.
    fn literal(&self, literal: Value) -> [Value; 2] {
        [literal.clone(), Closed::default().must("@", literal).schema()]
    }

    /// The definitions among these that the policy has a kind for.
    fn of_kinds(&self, kinds: &[(ExprType, &str)]) -> Vec<Value> {
        let allowed = kinds.iter().filter(|(kind, _)| self.policy.allows_kind(*kind));
        allowed.map(|(_, name)| self.grammar.at(name)).collect()
    }

    fn define_logic(&mut self, allowed: &Allowed<'_>) {
        let truths = self.define_comparisons(allowed);
        let logics = self.list(self.grammar.at("Logic"));
        let logic = self.grammar.at("Logic");
        let none = Closed::default;
        self.grammar.define("And", self.grammar.led(Marker::And, logics.clone(), None, none()));
        self.grammar.define("Or", self.grammar.led(Marker::Or, logics, None, none()));
        self.grammar.define("Not", self.grammar.led(Marker::Not, logic, None, none()));
        let truth = any_of(truths.into_iter().chain([self.grammar.at("Term")]).collect());
        self.grammar.define("IsTrue", self.grammar.led(Marker::IsTrue, truth, None, none()));
        self.grammar.define("Foreign", self.foreign(allowed));
        let mut logic = self.of_kinds(&[
            (ExprType::LogicBinary, "Comparison"),
            (ExprType::And, "And"),
            (ExprType::Or, "Or"),
            (ExprType::Not, "Not"),
            (ExprType::IsTrue, "IsTrue"),
        ]);
        if !allowed.exists.is_empty() {
            logic.extend(self.of_kinds(&[(ExprType::Foreign, "Foreign")]));
        }
        logic.extend(self.fragment());
        self.grammar.define("Logic", logic);
    }

    /// EXISTS over each entity, whose names are those inside.
    fn foreign(&self, allowed: &Allowed<'_>) -> Vec<Value> {
        let over = |(entity, related): &(&Name, bool)| {
            let inner = self.shared(&format!("Logic{}", scope(entity)));
            let auto = if *related { boolean() } else { json!({ "const": false }) };
            let rest =
                Closed::default().may("Alias", self.shared("Name")).may("AutoRelated", auto).may("InnerExpr", inner);
            let args = self.policy.allows_table_args();
            let rest = if args { rest.may("TableArgs", self.shared("TableArgs")) } else { rest };
            self.grammar.led(Marker::Foreign, one_of([entity.as_str()]), None, rest)
        };
        allowed.exists.iter().flat_map(over).collect()
    }

    fn fragment(&self) -> Option<Value> {
        let keys = self.policy.fragments();
        let any = !keys.is_empty() && self.policy.allows_kind(ExprType::GenericSql);
        let fragment = || Closed::default().must("$", self.grammar.kind(Marker::Sql)).must("Key", one_of(keys));
        any.then(|| fragment().may("Arg", self.shared("Plain")).schema())
    }

    /// The properties, by what they hold; the comparisons of each; and which of them are truth values.
    fn define_comparisons(&mut self, allowed: &Allowed<'_>) -> Vec<Value> {
        let mut classes: Vec<(LiteralClass, Vec<&str>)> = Vec::new();
        for property in &allowed.properties {
            let Some(class) = self.class(allowed.entity, property) else { continue };
            match classes.iter_mut().find(|(other, _)| *other == class) {
                Some((_, properties)) => properties.push(property.as_str()),
                None => classes.push((class, vec![property.as_str()])),
            }
        }
        let (mut comparisons, mut properties, mut truths) = (Vec::new(), Vec::new(), Vec::new());
        for (class, names) in classes {
            let property = format!("{}Property", class.name);
            self.grammar.define(&property, self.grammar.led(Marker::Property, one_of(names), None, Closed::default()));
            let literal = format!("{}Literal", class.name);
            self.grammar.define(&literal, vec![class.literal.clone()]);
            let left = self.grammar.at(&property);
            properties.push(left.clone());
            if class.is_truth() {
                truths.push(left.clone());
            }
            comparisons.extend(self.compared(&left, |operator| class.takes(operator), &self.grammar.at(&literal)));
        }
        self.grammar.define("Property", properties);
        let term = self.grammar.at("Term");
        comparisons.extend(self.compared(&term, |_| true, &self.shared("Scalar")));
        // A literal first: what it is compared with is none.
        let operators = self.operators(|operator| !is_membership(operator));
        if let Some(operators) = operators {
            let literal = any_of(self.literal(self.shared("Scalar")).into());
            let right = any_of(self.grammar.each(&["Property", "Term"]));
            comparisons.push(comparison(operators, literal, right));
        }
        self.grammar.define("Comparison", comparisons);
        truths
    }

    fn class(&self, entity: &Name, property: &Name) -> Option<LiteralClass> {
        let (_, entity) = self.catalog.entity(entity.as_str())?;
        let column = match entity.property(property.as_str())? {
            Property::Column(index) => entity.columns.get(index)?,
            Property::Foreign(index) => self.catalog.foreign(entity.foreign_columns.get(index)?)?,
        };
        Some(LiteralClass::of(property, column))
    }

    /// The comparisons of what stands on the left with such literals, or with what is computed.
    fn compared(&self, left: &Value, takes: impl Fn(LogicOperator) -> bool, literal: &Value) -> Vec<Value> {
        let mut operands: Vec<Value> = self.literal(literal.clone()).into();
        operands.extend(self.grammar.each(&["Property", "Term"]));
        let operand = any_of(operands);
        let lists = self.literal(self.list(literal.clone()));
        let set = Closed::default().must("$", self.grammar.kind(Marker::Set)).must("List", self.list(operand.clone()));
        let mut members: Vec<Value> = lists.into();
        if self.policy.allows_kind(ExprType::ValueSet) {
            members.push(set.schema());
        }
        let forms = [
            (
                self.operators(|operator| is_equality(operator) && takes(operator)),
                any_of(self.literal(json!({ "type": "null" })).into_iter().chain([operand.clone()]).collect()),
            ),
            (self.operators(|operator| !is_equality(operator) && !is_membership(operator) && takes(operator)), operand),
            (self.operators(|operator| is_membership(operator) && takes(operator)), any_of(members)),
        ];
        let forms =
            forms.into_iter().filter_map(|(operators, right)| Some(comparison(operators?, left.clone(), right)));
        forms.collect()
    }

    /// Those of the comparisons that the policy allows.
    fn operators(&self, is: impl Fn(LogicOperator) -> bool) -> Option<Value> {
        let allowed = |operator: &LogicOperator| self.policy.allows_operator(*operator) && is(*operator);
        let mut signs = LogicOperator::ALL.into_iter().filter(allowed).map(LogicOperator::sign).peekable();
        signs.peek().is_some().then(|| one_of(signs))
    }

    fn define_values(&mut self) {
        let value = self.grammar.at("Value");
        let sides = || Closed::default().must("Left", value.clone()).must("Right", value.clone());
        self.grammar.define("Arithmetic", vec![sides().must("$", self.grammar.computations()).schema()]);
        let signs = [UnaryOperator::Negative, UnaryOperator::BitwiseNot].map(|operator| {
            let unary = Closed::default().must("$", self.grammar.kind(Marker::Unary));
            unary.must(spell(UNARY_OPERATORS, operator), any_of(self.grammar.each(&["Property", "Term"]))).schema()
        });
        self.grammar.define("Unary", signs.into());
        self.define_arguments();
        self.grammar.define("Function", self.functions());
        let condition = self.grammar.at("Logic");
        let case = json!({
            "type": "array",
            "prefixItems": [condition, value],
            "items": any_of(vec![value.clone(), condition.clone()]),
            "minItems": 2,
            "maxItems": self.policy.list_items(),
        });
        let call = |name: &str, args| {
            Closed::default().must("$", self.grammar.kind(Marker::Function)).must(name, args).schema()
        };
        let case = call("CASE", case);
        let cast = call("CAST", tuple(vec![value.clone(), self.grammar.type_name()], 2));
        self.grammar.define("Case", vec![case]);
        self.grammar.define("Cast", vec![cast]);
        self.grammar.define("Truth", self.grammar.led(Marker::Truth, condition, None, Closed::default()));
        let mut terms = self.of_kinds(&[
            (ExprType::ValueBinary, "Arithmetic"),
            (ExprType::Unary, "Unary"),
            (ExprType::Function, "Function"),
            (ExprType::Case, "Case"),
            (ExprType::Cast, "Cast"),
            (ExprType::Truth, "Truth"),
        ]);
        terms.extend(self.fragment());
        self.grammar.define("Term", terms);
        let mut values: Vec<Value> = self.literal(self.shared("Scalar")).into();
        values.extend(self.grammar.each(&["Property", "Term"]));
        self.grammar.define("Value", values);
    }

    /// The functions of rows that the policy allows, each with its own arguments.
    fn functions(&self) -> Vec<Value> {
        let call = |name: &&str| {
            let args = match Func::from_name(name).map(Func::signature) {
                Some(signature) if signature.class != Class::Scalar => return None,
                Some(signature) => self.arguments(signature),
                None => self.list(self.grammar.at("Value")),
            };
            Some(Closed::default().must("$", self.grammar.kind(Marker::Function)).must(name, args).schema())
        };
        self.policy.functions().iter().filter_map(call).collect()
    }

    fn arguments(&self, signature: &Signature) -> Value {
        let (least, most) = signature.arity();
        if most < usize::MAX {
            return tuple((0..most).map(|at| self.argument(signature.arg(at))).collect(), least);
        }
        // The last of them repeats.
        let item = self.argument(signature.arg(usize::MAX));
        json!({ "type": "array", "items": item, "minItems": least, "maxItems": self.policy.list_items() })
    }

    fn argument(&self, kind: ArgKind) -> Value {
        if kind == ArgKind::Any { self.grammar.at("Value") } else { self.grammar.at(&format!("{kind:?}Argument")) }
    }

    /// What stands as an argument of each kind but any.
    fn define_arguments(&mut self) {
        use ArgKind as K;
        for kind in [K::Text, K::Number, K::Int, K::Date, K::Moment, K::Json, K::Literal, K::Bool] {
            let mut forms: Vec<Value> = self.literal(argument(kind)).into();
            // What the compiler itself reads is no column's.
            if kind != K::Literal {
                forms.extend(self.grammar.each(&["Property", "Term"]));
            }
            self.grammar.define(&format!("{kind:?}Argument"), forms);
        }
    }

    fn define_queries(&mut self, root: &Name) {
        let table = self.grammar.led(
            Marker::Table,
            one_of([root.as_str()]),
            None,
            Closed::default().may("Alias", self.shared("Name")),
        );
        self.grammar.define("Table", table);
        let clause = |marker, rest| self.grammar.clause(marker, rest);
        let filter = clause(Marker::Where, Closed::default().must("Where", self.grammar.at("Logic")));
        let keys = self.list(self.grammar.at("OrderItem"));
        let order = clause(Marker::OrderBy, Closed::default().must("OrderBys", keys));
        let section = self.section();
        let item = any_of(self.grammar.each(&["Property", "Term"]));
        let item = self.grammar.order_item_of(Closed::default(), item).schema();
        self.grammar.define("Where", filter);
        self.grammar.define("OrderBy", order);
        self.grammar.define("OrderItem", vec![item]);
        self.grammar.define("Section", section);
        let segments = self.of_kinds(&[
            (ExprType::Table, "Table"),
            (ExprType::Where, "Where"),
            (ExprType::OrderBy, "OrderBy"),
            (ExprType::Section, "Section"),
        ]);
        self.grammar.define("Segment", segments);
        self.grammar.define("Expr", self.grammar.each(&["Logic", "Segment"]));
    }

    /// Paging; a cursor needs an order right before it.
    fn section(&self) -> Vec<Value> {
        let rows = |least: u64, most: u64| json!({ "type": "integer", "minimum": least, "maximum": most });
        let section = Closed::default().may("Skip", rows(0, i64::MAX.unsigned_abs()));
        let section = match self.policy.take() {
            Some(most) => section.must("Take", rows(1, most)),
            None => section.may("Take", rows(0, i64::MAX.unsigned_abs())),
        };
        let mut forms = self.grammar.clause(Marker::Section, section.clone());
        if self.policy.allows_kind(ExprType::OrderBy) {
            let cursor = any_of(self.literal(self.shared("Scalar")).into());
            let after = section.must("After", self.list(cursor));
            forms.extend(self.grammar.led(Marker::Section, self.grammar.at("OrderBy"), None, after));
        }
        forms
    }
}

fn comparison(operators: Value, left: Value, right: Value) -> Value {
    Closed::default().must("$", operators).must("Left", left).must("Right", right).schema()
}

fn is_equality(operator: LogicOperator) -> bool {
    use LogicOperator as O;
    matches!(operator, O::Equal | O::NotEqual | O::IsDistinctFrom | O::IsNotDistinctFrom)
}

fn is_membership(operator: LogicOperator) -> bool {
    matches!(operator, LogicOperator::In | LogicOperator::NotIn)
}
