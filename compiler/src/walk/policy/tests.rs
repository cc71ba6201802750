use proptest::prelude::*;

use super::*;
use crate::expr::Expr;
use crate::expr::{
    LockMode, LockWait, LogicExpr, SelectExpr, SqlSegment, TableJoinType, Value, ValueOps, ValueTypeExpr, constant,
    cte, exists, exists_query, exists_related, from, from_args, func, if_else, prop, prop_of, sql, table,
};
use crate::walk::{ExprMut, rewrite};

mod again;
mod asked;
mod growth;
mod spelled;
mod through;

/// `User` is the root; `Dept` and `UserView` may be allowed; `Session` exists.
struct Tables;

static ENTITIES: [Name; 5] = {
    const fn name(name: &'static str) -> Name {
        Name::from_static(name)
    }
    [name("User"), name("Dept"), name("UserView"), name("Session"), name("Open")]
};

impl Schema for Tables {
    fn entity(&self, name: &Name) -> Option<&Name> {
        ENTITIES.iter().find(|own| *own == name)
    }

    fn table(&self, entity: &Name) -> Option<&Name> {
        self.entity(entity)
    }

    fn property(&self, entity: &Name, property: &Name) -> Option<PropertyInfo> {
        let is = |names: &[&str]| names.iter().any(|name| property == *name);
        if entity == "User" && is(&["Id", "Name", "Age", "DeptId"]) || entity == "Dept" && is(&["Id", "Title", "Code"])
        {
            return Some(PropertyInfo::filterable());
        }
        if entity == "User" && is(&["Password", "Code"]) || entity == "Dept" && is(&["Password", "Budget", "Age"]) {
            return Some(PropertyInfo::hidden());
        }
        if entity == "UserView" && is(&["DeptTitle"]) {
            return Some(PropertyInfo::filterable().of("Dept", "Title"));
        }
        if entity == "Open" && is(&["Id"]) || entity == "UserView" && is(&["Name"]) {
            return Some(PropertyInfo::filterable());
        }
        None
    }

    fn properties(&self, entity: &Name) -> Option<Vec<Name>> {
        match entity.as_str() {
            "Open" => Some(vec!["Id".into()]),
            "Dept" => Some(["Id", "Title", "Code", "Password", "Budget", "Age"].map(Name::new).into()),
            _ => None,
        }
    }

    fn joined(&self, entity: &Name, alias: &Name) -> Option<Vec<RelationInfo>> {
        let boss = || RelationInfo {
            entity: entity.clone(),
            alias: alias.clone(),
            target: "Dept".into(),
            keys: [("User", "DeptId"), ("Dept", "Id")].map(|(entity, key)| (entity.into(), key.into())).into(),
        };
        (entity == "User" && alias == "Boss").then(|| vec![boss()])
    }

    fn relations(&self, _: &Name, _: &Name) -> Option<Vec<RelationInfo>> {
        None
    }
}

fn narrow() -> QueryPolicy {
    QueryPolicy::new("User")
}

/// Also `Dept` and `Open`, the root once more, joins and common tables.
fn wide() -> QueryPolicy {
    once().allow_entity("User")
}

/// With the root as the outermost source only.
fn once() -> QueryPolicy {
    narrow().allow_entity("Dept").allow_entity("Open").max_joins(3).allow([ExprType::CommonTable])
}

#[track_caller]
fn passes(policy: &QueryPolicy, expr: impl Into<Expr>) {
    let expr = expr.into();
    assert_eq!(policy.check(&expr, &Tables), Ok(()), "{expr:#?}");
}

#[track_caller]
fn refused(policy: &QueryPolicy, expr: impl Into<Expr>, rule: PolicyRule, path: &str) {
    let expr = expr.into();
    let refusal = policy.check(&expr, &Tables).expect_err("is refused");
    assert_eq!((refusal.rule, refusal.path.as_str()), (rule, path), "{refusal}");
}

#[test]
fn a_filter_over_the_root_passes() {
    passes(&narrow(), prop("Age").ge(18) & prop("name").starts_with("R&D") | prop_of("User", "Id").in_list([1, 2]));
    passes(&narrow(), func("Lower", [prop("Name")]).eq("x"));
    passes(&narrow(), prop_of("T0", "Name").is_null());
    passes(&narrow(), from("USER").filter(prop("Age").gt(1)).order_by([prop("Name").desc()]).section(0, 20));
    passes(&narrow(), from("User").filter(prop("Age").gt(1)).select([prop("Age").max().alias("oldest")]));
}

#[test]
fn only_the_root_may_be_named_until_more_is_allowed() {
    let filter = || LogicExpr::from(exists_related("Dept", prop("Title").eq("x")));
    refused(&narrow(), !filter(), PolicyRule::Entity, "$.!");
    passes(&narrow().allow_entity("Dept"), filter());
    let operand = prop("DeptId").in_list(from("Session").select(["Id"]));
    refused(&wide(), operand, PolicyRule::Entity, "$.Right.$select");
    let join = from("User").join(TableJoinType::Inner, from("Session"), None).select(["Id"]);
    refused(&wide(), join, PolicyRule::Entity, "$.$select.Joins[0].$join");
    let common = from("User")
        .filter(prop("Id").in_list(SqlSegment::from(from("Session").select(["Id"]).with("x")).select(["Id"])));
    refused(&wide(), common, PolicyRule::Entity, "$.Where.Right.$select.$cte.$select");
}

/// A filter that the program puts in front of the stranger's holds for no other rows of the root than those of the query.
#[test]
fn the_root_is_the_outermost_source_and_no_other() {
    let users = || from("User").filter(prop("Name").starts_with("secret"));
    let refused = |expr: Expr, path: &str| {
        refused(&once(), expr.clone(), PolicyRule::Entity, path);
        passes(&wide(), expr);
    };
    refused(LogicExpr::from(exists_related("User", None)).into(), "$");
    refused(LogicExpr::from(exists_related("Dept", LogicExpr::from(exists("User", None)))).into(), "$.InnerExpr");
    refused(prop("Id").in_list(users().select(["Id"])).into(), "$.Right.$select.$where");
    refused(
        prop("Id").gt(ValueTypeExpr::from(users().select([prop("Id").max().alias("M")]).into_segment())).into(),
        "$.Right.$select.$where",
    );
    refused(exists_query(users()).into(), "$.$exists.$where");
    refused(
        from("User").select(["Id"]).union(users().select(["Id"])).into_segment().into(),
        "$.Next[0].$select.$where",
    );
    refused(SqlSegment::from(users().select(["Id"]).with("u")).select(["Id"]).into(), "$.$select.$cte.$select.$where");
    let joined = from("User").join(TableJoinType::Inner, from("User").aliased("o"), None);
    refused(joined.select([prop_of("o", "Id")]).into(), "$.$select.Joins[0].$join");
    let refusal = once().check(&Expr::from(LogicExpr::from(exists_related("User", None))), &Tables).unwrap_err();
    assert_eq!(refusal.to_string(), "the entity `User` is available as the outermost source only at $");
    // What lies below the clauses of one query, or is its derived table, is that source.
    passes(
        &once(),
        users().order_by([prop("Id").asc()]).take(5).select(["Id"]).into_segment().filter(prop("Id").gt(1)),
    );
    passes(&once(), from("User").join(TableJoinType::Left, from("Dept"), None).select(["Name", "Title"]));
}

#[test]
fn the_root_is_not_the_strangers_to_choose() {
    refused(&wide(), from("Dept").select(["Id"]), PolicyRule::Root, "$");
    refused(
        &wide(),
        from("Dept").filter(prop("Id").eq(1)).select(["Id"]).into_segment().take(1),
        PolicyRule::Root,
        "$",
    );
    refused(&wide(), from("User").select(["Id"]).union(from("Dept").select(["Id"])), PolicyRule::Root, "$");
    // A select by itself is a query, too.
    let alone =
        |entity: &'static str| wide().check(&from(entity).select(["Id"]), &Tables).map_err(|refusal| refusal.rule);
    assert_eq!((alone("User"), alone("Dept")), (Ok(()), Err(PolicyRule::Root)));
    let common = SqlSegment::from(from("Dept").select(["Id"]).with("d"));
    refused(&wide(), common.select(["Id"]), PolicyRule::Root, "$");
    passes(&wide(), from("User").join(TableJoinType::Left, from("Dept"), None).select(["Name", "Title"]));
}

#[test]
fn a_hidden_property_is_refused_wherever_it_stands() {
    let hidden = || prop("Password");
    let (policy, rule) = (wide(), PolicyRule::HiddenProperty);
    refused(&policy, hidden().eq("x"), rule, "$.Left");
    refused(&policy, hidden(), rule, "$");
    refused(&policy, func("Length", [hidden()]).gt(8), rule, "$.Left.Length[0]");
    refused(&policy, if_else(hidden().eq("x"), 1, 2).eq(1), rule, "$.Left.CASE[0].Left");
    refused(&policy, from("User").order_by([hidden().asc()]), rule, "$.OrderBys[0].Field");
    refused(&policy, from("User").group_by([hidden()]), rule, "$.GroupBys[0]");
    refused(&policy, from("User").having(hidden().max().gt("x")), rule, "$.Having.Left.Max[0]");
    refused(&policy, from("User").select([hidden()]), rule, "$.Selects[0].Value");
    refused(&policy, from("User").select(["Id"]).distinct_on([hidden()]), rule, "$.DistinctOn[0]");
    refused(
        &policy,
        from("User").select(["Id"]).union(from("User").select([hidden()])),
        rule,
        "$.Next[0].Selects[0].Value",
    );
    let window = prop("Id").sum().over().partition_by([hidden()]);
    refused(&policy, from("User").select([window]), rule, "$.Selects[0].Value.PartitionBy[0]");
    let counted = prop("Id").count().filter(hidden().eq("x"));
    refused(&policy, from("User").select([counted]), rule, "$.Selects[0].Value.Filter.Left");
    let joined = from("User").join(TableJoinType::Left, from("Dept"), hidden().eq(prop("Title")));
    refused(&policy, joined.select(["Id"]), rule, "$.$select.Joins[0].On.Left");
}

#[test]
fn names_mean_the_innermost_entity_that_has_them() {
    let inner = |filter| LogicExpr::from(exists("Dept", filter));
    // `Code` is Dept's, and filterable there; User's is not.
    passes(&wide(), inner(prop("Code").eq(1)));
    refused(&wide(), prop("Code").eq(1), PolicyRule::HiddenProperty, "$.Left");
    // `Name` is the user's only: the search goes outward.
    passes(&wide(), inner(prop("Name").eq(prop("Title"))));
    // `Age` is hidden on Dept, which is nearer.
    refused(&wide(), inner(prop("Age").eq(1)), PolicyRule::HiddenProperty, "$.InnerExpr.Left");
    passes(&wide(), inner(prop_of("User", "Age").eq(1)));
    refused(&wide(), inner(prop_of("User", "Code").eq(1)), PolicyRule::HiddenProperty, "$.InnerExpr.Left");
    refused(&wide(), inner(prop_of("T0", "Code").eq(1)), PolicyRule::HiddenProperty, "$.InnerExpr.Left");
    refused(&wide(), inner(prop_of("x", "Code").eq(1)), PolicyRule::UnknownAlias, "$.InnerExpr.Left");
    passes(&wide(), LogicExpr::from(exists("Dept", prop_of("x", "Code").eq(1)).aliased("X")));
    refused(&wide(), inner(prop("Nope").eq(1)), PolicyRule::UnknownProperty, "$.InnerExpr.Left");
}

#[test]
fn a_subquery_sees_the_query_around_it() {
    let correlated = |name: &'static str| exists_query(from("Dept").filter(prop("Id").eq(prop(name))));
    passes(&wide(), correlated("DeptId"));
    refused(&wide(), correlated("Password"), PolicyRule::HiddenProperty, "$.$exists.Where.Right");
    let derived = from("Open").filter(prop("Id").eq(prop("Password"))).select(["Id"]);
    let join = from("User").join(TableJoinType::Cross, derived.clone(), None).select(["Id"]);
    refused(&wide(), join, PolicyRule::HiddenProperty, "$.$select.Joins[0].$join.$select.Where.Right");
    let lateral = from("User").join_lateral(TableJoinType::Cross, derived, None).select(["Id"]);
    refused(&wide(), lateral, PolicyRule::HiddenProperty, "$.$select.Joins[0].$join.$select.Where.Right");
}

#[test]
fn a_condition_of_a_join_may_mean_a_later_source() {
    // Whether `Code` means Dept's, joined later and allowed, or nothing, is for resolving to say.
    let open = from("User").select([prop("Id").alias("Uid")]);
    let query = SqlSegment::from(open).join(TableJoinType::Left, from("Open"), prop("Budget").eq(1)).join(
        TableJoinType::Left,
        from("Dept"),
        None,
    );
    refused(&wide(), query.select(["Uid"]), PolicyRule::HiddenProperty, "$.$select.Joins[0].On.Left");
}

#[test]
fn derived_columns_are_known_by_name() {
    let derived = || from("User").select([prop("Age").alias("Years"), prop("Name").into()]).into_segment();
    passes(&wide(), derived().filter(prop("Years").gt(18)).order_by([prop("Name")]));
    refused(&wide(), derived().filter(prop("Age").gt(18)), PolicyRule::UnknownProperty, "$.Where.Left");
    passes(&wide(), derived().aliased("d").filter(prop_of("d", "Years").gt(18)));
    let common = || SqlSegment::from(from("User").select(["Id"]).with("c"));
    passes(&wide(), common().join(TableJoinType::Cross, cte("c"), prop_of("c", "Id").eq(1)).select(["Id"]));
    refused(&wide(), common().filter(prop("Name").eq(1)), PolicyRule::UnknownProperty, "$.Where.Left");
    refused(
        &wide(),
        from("User").join(TableJoinType::Cross, cte("c"), None),
        PolicyRule::CommonTable,
        "$.Joins[0].$join",
    );
}

#[test]
fn a_name_of_the_select_list_hides_no_column() {
    let query =
        |name: &'static str| exists_query(from("Open").filter(prop(name).gt(5)).select([prop("Id").alias(name)]));
    refused(&wide(), query("Password"), PolicyRule::HiddenProperty, "$.$exists.$select.Where.Left");
    passes(&wide(), query("Own"));
    passes(&wide(), from("User").order_by([prop("Oldest")]).select([prop("Age").max().alias("Oldest")]));
}

#[test]
fn a_key_behind_a_select_list_may_mean_a_column_below_it() {
    let by = |key: ValueTypeExpr, source: SelectExpr| source.into_segment().order_by([key.asc()]);
    let named = |entity: &'static str, name: &'static str| from(entity).select([prop("Id").alias(name)]);
    passes(&wide(), by(prop("Key").into(), named("User", "Key")));
    passes(&wide(), by(func("Lower", [prop("Key")]).into(), named("User", "Key")));
    passes(&wide(), by(prop("Name").into(), named("User", "Key")));
    let hidden = PolicyRule::HiddenProperty;
    refused(&wide(), by(prop("Password").into(), named("User", "Password")), hidden, "$.OrderBys[0].Field");
    let lower = func("Lower", [prop("Password")]).into();
    refused(&wide(), by(lower, named("User", "Password")), hidden, "$.OrderBys[0].Field.Lower[0]");
    refused(&wide(), by(prop_of("T0", "Password").into(), named("User", "Key")), hidden, "$.OrderBys[0].Field");
    // In a subquery, the inner column is nearer than the one around it.
    let inner = |key| prop("Id").eq(by(key, named("Dept", "Key")).take(1));
    let path = "$.Right.$section.OrderBys[0].Field";
    refused(&wide(), inner(prop("Age").into()), hidden, path);
    refused(&wide(), inner(prop_of("T1", "Age").into()), hidden, path);
    passes(&wide(), inner(prop("Title").into()));
}

#[test]
fn a_name_that_a_derived_table_may_lack_is_looked_up_further_out() {
    // `Code` is Dept's, and filterable there; User's is not.
    let over = |query: SqlSegment| exists_query(query.filter(prop("Code").eq(1)));
    passes(&wide(), over(from("Dept")));
    passes(&wide(), exists_query(from("Dept").filter(prop("Code").eq(1)).order_by([prop("Id")])));
    passes(&wide(), over(from("Dept").select([prop("Id"), prop("Code")]).into()));
    let path = "$.$exists.Where.Left";
    refused(&wide(), over(from("Dept").group_by([prop("Id")])), PolicyRule::HiddenProperty, path);
    refused(&wide(), over(from("Dept").take(1)), PolicyRule::HiddenProperty, path);
    refused(&wide(), over(from("Dept").order_by([prop("Id")])), PolicyRule::HiddenProperty, path);
    refused(&wide(), over(from("Dept").select_all().into()), PolicyRule::HiddenProperty, path);
    refused(&wide(), over(from("Dept").having(prop("Id").eq(1))), PolicyRule::HiddenProperty, path);
}

#[test]
fn a_join_that_is_declared_shows_only_what_is_allowed() {
    let of_boss = |name: &'static str| prop_of("Boss", name).eq(1);
    passes(&wide(), of_boss("Title"));
    refused(&wide(), of_boss("Budget"), PolicyRule::HiddenProperty, "$.Left");
    refused(&wide(), of_boss("Nope"), PolicyRule::UnknownProperty, "$.Left");
    // To an entity that is not allowed, it is not there.
    refused(&narrow(), of_boss("Title"), PolicyRule::UnknownAlias, "$.Left");
    let message = |alias: &'static str| narrow().check(&prop_of(alias, "X").eq(1), &Tables).unwrap_err().to_string();
    assert_eq!(message("Boss"), message("Nope").replace("Nope", "Boss"));
    // Another table of that name does not change what the join means further out.
    let aliased = |policy: QueryPolicy, name| {
        refused(&policy, exists("Open", of_boss(name)).aliased("Boss"), PolicyRule::UnknownAlias, "$.InnerExpr.Left");
    };
    aliased(narrow().allow_entity("Open"), "Id");
}

#[test]
fn a_cursor_follows_keys_that_the_tree_names() {
    passes(&wide(), from("User").order_by([prop("Id")]).after([5], 10));
    refused(&wide(), from("User").after([5], 10), PolicyRule::Cursor, "$");
    refused(&wide(), from("User").order_by([constant(1)]).after([5], 10), PolicyRule::Cursor, "$");
    let between = from("User").order_by([prop("Id")]).filter(prop("Id").gt(1)).after([5], 10);
    refused(&wide(), between, PolicyRule::Cursor, "$");
}

#[test]
fn a_select_without_a_list_gives_everything() {
    let operand = |entity: &'static str| prop("Id").in_list(from(entity));
    passes(&wide(), operand("Open"));
    refused(&wide(), operand("Dept"), PolicyRule::SelectAll, "$.Right");
    refused(&wide(), operand("User"), PolicyRule::SelectAll, "$.Right");
    refused(&wide(), prop("Id").in_list(from("Dept").select_all()), PolicyRule::SelectAll, "$.Right");
    passes(&wide(), from("User").select_all());
    passes(&wide(), from("User").select_all().into_segment().order_by([prop("Id")]));
    // A member of a set operation has its columns named, and compared, by another one.
    let all = || from("User").select_all();
    let listed = || from("User").select([prop("Id").alias("a")]);
    refused(&wide(), all().union(all()).into_segment().order_by([prop("Id")]), PolicyRule::SelectAll, "$.$orderby");
    refused(&wide(), listed().union_all(all()), PolicyRule::SelectAll, "$.Next[0]");
    refused(&wide(), listed().except(all()).into_segment().take(1), PolicyRule::SelectAll, "$.$section.Next[0]");
    refused(
        &wide(),
        listed().union(all()).into_segment().filter(prop("a").eq(1)),
        PolicyRule::SelectAll,
        "$.$where.Next[0]",
    );
    passes(&wide(), exists_query(from("Dept")));
    let member =
        from("User").select(["Name"]).union(from("User").join(TableJoinType::Cross, from("Dept"), None).select_all());
    refused(&wide(), member, PolicyRule::SelectAll, "$.Next[0]");
    refused(&wide(), from("User").join(TableJoinType::Cross, from("Dept"), None), PolicyRule::SelectAll, "$");
    passes(&wide(), from("User").join(TableJoinType::Cross, from("Open"), None));
    // A derived table passes its columns on by name only.
    let derived = from("User").join(TableJoinType::Cross, from("Dept").select_all(), None);
    passes(&wide(), derived.clone().select(["Title"]));
    refused(&wide(), derived.select(["Budget"]), PolicyRule::HiddenProperty, "$.Selects[0].Value");
    let exists_union = exists_query(from("Open").select(["Id"]).union(from("Dept").select_all()));
    refused(&wide(), exists_union, PolicyRule::SelectAll, "$.$exists.Next[0]");
    refused(&wide(), SqlSegment::from(from("User").select_all().with("c")), PolicyRule::SelectAll, "$");
}

#[test]
fn lists_narrow_and_follow_a_column_into_views() {
    let only = narrow().only_properties("User", ["Name", "Password"]);
    passes(&only, prop("NAME").eq("x"));
    refused(&only, prop("Age").eq(1), PolicyRule::HiddenProperty, "$.Left");
    refused(&only, prop("Password").eq(1), PolicyRule::HiddenProperty, "$.Left");
    refused(&narrow().deny_properties("user", ["age"]), prop("Age").eq(1), PolicyRule::HiddenProperty, "$.Left");
    let view = || QueryPolicy::new("UserView");
    passes(&view(), prop("DeptTitle").eq("x"));
    refused(
        &view().deny_properties("Dept", ["Title"]),
        prop("DeptTitle").eq("x"),
        PolicyRule::HiddenProperty,
        "$.Left",
    );
    refused(&view().only_properties("Dept", ["Id"]), prop("DeptTitle").eq("x"), PolicyRule::HiddenProperty, "$.Left");
}

#[test]
fn a_hidden_property_reads_like_one_that_is_not_there() {
    let message = |name| narrow().check(&prop(name).eq(1), &Tables).unwrap_err().to_string();
    assert_eq!(message("Password"), "`Password` is not available on `User` at $.Left");
    assert_eq!(message("Nonsense"), "`Nonsense` is not available on `User` at $.Left");
    // By an alias, in an EXISTS where the query around it has the hidden one, and behind a select list.
    let trees: [fn(&'static str) -> Expr; 4] = [
        |name| prop_of("Boss", name).eq(1).into(),
        |name| exists("Open", prop(name).eq(1)).into(),
        |name| SqlSegment::from(from("User").select(["Name"])).order_by([prop(name)]).into(),
        |name| from("User").aliased("u").filter(prop_of("u", name).eq(1)).into(),
    ];
    for tree in trees {
        let message = |name| wide().check(&tree(name), &Tables).unwrap_err().to_string();
        assert_eq!(message("Password").replace("Password", "Nonsense"), message("Nonsense"));
    }
}

#[test]
fn what_a_tree_calls_must_be_on_a_list() {
    refused(&narrow(), func("pg_sleep", [5]).eq(1), PolicyRule::Function, "$.Left");
    refused(&narrow(), func("Replace", [prop("Name")]).eq("x"), PolicyRule::Function, "$.Left");
    passes(&narrow().allow_functions(["replace"]), func("Replace", [prop("Name")]).eq("x"));
    refused(&narrow().only_functions(["Upper"]), func("Lower", [prop("Name")]).eq("x"), PolicyRule::Function, "$.Left");
    let window = func("SLEEP", [1]).over();
    refused(&narrow(), ValueTypeExpr::from(window), PolicyRule::Function, "$.Function");
    refused(&narrow(), prop("Name").regexp_like("a"), PolicyRule::Operator, "$");
    passes(&narrow().allow_operators([LogicOperator::RegexpLike]), prop("Name").regexp_like("a"));
    refused(&narrow().deny_operators([LogicOperator::Like]), !prop("Name").like("%a"), PolicyRule::Operator, "$.!");
    refused(&narrow(), sql("mine", 1), PolicyRule::Kind, "$");
    passes(&narrow().allow_fragments(["mine"]), sql("Mine", 1));
    refused(&narrow().allow_fragments(["mine"]), sql("other", 1), PolicyRule::Fragment, "$");
    refused(&narrow(), from_args("User", ["202401"]), PolicyRule::TableArgs, "$");
    passes(&narrow().allow_table_args(), from_args("User", ["202401"]));
    refused(&narrow().allow_entity("Dept"), exists("Dept", None).table_args(["x"]), PolicyRule::TableArgs, "$");
    let off = SqlSegment::Table(table("User").without_filter("tenant", "mine"));
    refused(&narrow(), off, PolicyRule::FilterOff, "$");
}

#[test]
fn no_statements_and_no_locks() {
    refused(&narrow(), table("User").delete().all_rows(), PolicyRule::Kind, "$");
    refused(&narrow(), table("User").update([("Age", 1)]).all_rows(), PolicyRule::Kind, "$");
    refused(&narrow(), table("User").insert(["Age"], vec![1.into()]), PolicyRule::Kind, "$");
    let locked = exists_query(from("User").lock(LockMode::Update, LockWait::Wait));
    refused(&narrow(), locked, PolicyRule::Kind, "$.$exists");
    refused(&narrow(), from("User").lock(LockMode::Share, LockWait::NoWait), PolicyRule::Kind, "$");
}

#[test]
fn an_allowed_statement_names_allowed_properties_of_the_root() {
    let policy = wide().allow([ExprType::Update, ExprType::Insert, ExprType::Delete]);
    passes(&policy, table("User").update([("Age", 1)]).filter(prop("Id").eq(1)).returning(["Name"]));
    refused(&policy, table("User").update([("Password", 1)]).all_rows(), PolicyRule::HiddenProperty, "$");
    refused(
        &policy,
        table("User").update([("Age", prop("Code"))]).all_rows(),
        PolicyRule::HiddenProperty,
        "$.Sets[0].Age",
    );
    refused(&policy, table("Dept").delete().filter(prop("Id").eq(1)), PolicyRule::Root, "$");
    refused(&policy, table("User").delete().filter(prop("Code").eq(1)), PolicyRule::HiddenProperty, "$.Where.Left");
    refused(&policy, table("User").insert(["Code"], vec![1.into()]), PolicyRule::HiddenProperty, "$");
    refused(&policy, table("User").insert_query(["Id"], from("Dept")), PolicyRule::SelectAll, "$.Query");
    let upsert = table("User").insert(["Age"], vec![1.into()]).conflict(
        ["Id"],
        crate::expr::ConflictAction::Update(vec![("Age".into(), prop_of("excluded", "Code").into())]),
    );
    refused(&policy, upsert, PolicyRule::HiddenProperty, "$.Update[0].Age");
}

#[test]
fn aliases_are_plain() {
    let query = from("User").select([prop("Id").alias("a\"; DROP")]);
    refused(&narrow(), query, PolicyRule::Alias, "$.Selects[0]");
    refused(&narrow(), from("User").aliased("a b"), PolicyRule::Alias, "$");
    refused(&wide(), exists("Dept", None).aliased(""), PolicyRule::Alias, "$");
}

#[test]
fn size_is_bounded() {
    let deep = (0..100).fold(prop("Age").eq(1), |tree, _| !tree);
    let refusal = narrow().check(&deep, &Tables).unwrap_err();
    assert_eq!((refusal.rule, refusal.node), (PolicyRule::Depth, ExprType::Not));
    let long = || prop("Id").in_list((0..2000).collect::<Vec<i32>>());
    refused(&narrow(), long(), PolicyRule::ListItems, "$.Right");
    passes(&narrow().max_list_items(2000), long());
    refused(
        &narrow().max_list_items(2),
        LogicExpr::any((0..3).map(|n| prop("Id").eq(n))),
        PolicyRule::ListItems,
        "$.$or[2]",
    );
    let many = LogicExpr::all((0..10).map(|_| prop("Id").in_list((0..900).collect::<Vec<i32>>())));
    refused(&narrow(), many, PolicyRule::Nodes, "$.$and[5].Right");
    refused(&narrow(), prop("Name").eq("x".repeat(70_000)), PolicyRule::TextBytes, "$.Right");
    let nested = |levels: usize| (0..levels).fold(prop("Id").eq(1), |inner, _| LogicExpr::from(exists("Dept", inner)));
    passes(&wide(), nested(3));
    refused(&wide(), nested(4), PolicyRule::Nesting, "$.InnerExpr.InnerExpr.InnerExpr");
    let selects = |levels: usize| (0..levels).fold(from("User"), |query, _| query.select(["Id"]).into());
    passes(&narrow(), selects(4));
    assert_eq!(narrow().check(&selects(5), &Tables).unwrap_err().rule, PolicyRule::Nesting);
    let join = |query: SqlSegment| query.join(TableJoinType::Cross, from("Open"), None);
    refused(&narrow().allow_entity("Open"), join(from("User")), PolicyRule::Joins, "$.Joins[0]");
    refused(&wide().max_joins(1), join(join(from("User"))), PolicyRule::Joins, "$.Joins[1]");
    let nested_lists = Value::List(vec![Value::List(vec![Value::from(1); 1500].into()); 2].into());
    refused(&narrow(), prop("Id").eq(constant(nested_lists)), PolicyRule::ListItems, "$.Right");
}

#[test]
fn paging_is_bounded_when_asked() {
    passes(&narrow(), from("User").take(1_000_000));
    let policy = narrow().max_take(100);
    passes(&policy, from("User").take(100));
    refused(&policy, from("User").take(101), PolicyRule::Take, "$");
    refused(&policy, from("User").skip(5), PolicyRule::Take, "$");
    passes(&policy, from("User"));
}

#[test]
fn common_tables_do_not_recurse() {
    let step = cte("t").select(["Id"]);
    let recursive = from("User").select(["Id"]).union_all(step).with("t");
    refused(&narrow(), SqlSegment::from(recursive.clone()), PolicyRule::Kind, "$");
    refused(&wide(), SqlSegment::from(recursive), PolicyRule::Recursion, "$.$cte.Next[0].$select");
    let pair = SqlSegment::from(cte("b").select(["Id"]).with("a")).join(
        TableJoinType::Cross,
        SqlSegment::from(cte("a").select(["Id"]).with("b")),
        None,
    );
    refused(&wide(), pair, PolicyRule::Recursion, "$");
    let twice = SqlSegment::from(from("User").select(["Id"]).with("a")).join(
        TableJoinType::Cross,
        SqlSegment::from(from("Dept").select(["Id"]).with("A")),
        None,
    );
    refused(&wide(), twice, PolicyRule::CommonTable, "$.Joins[0].$join");
}

#[test]
fn a_refusal_says_what_is_wrong_and_where() {
    let mut other = Vec::new();
    let mut check = |policy: &QueryPolicy, expr: Expr, message: &str| {
        let refusal = policy.check(&expr, &Tables).unwrap_err().to_string();
        if refusal != message {
            other.push((refusal, message.to_owned()));
        }
    };
    macro_rules! says {
        ($policy:expr, $expr:expr, $message:expr $(,)?) => {
            check($policy, $expr.into(), $message)
        };
    }
    let nested = (0..4).fold(prop("Id").eq(1), |inner, _| LogicExpr::from(exists("Dept", inner)));
    let join = |source: SqlSegment| from("User").join(TableJoinType::Cross, source, None);
    let many = LogicExpr::all((0..10).map(|_| prop("Id").in_list((0..900).collect::<Vec<i32>>())));
    let level = |source: SqlSegment| SqlSegment::from(source.select([(prop("Age") + prop("Age")).alias("Age")]));
    let doubled = (0..4).fold(from("User"), |source, _| level(source));
    says!(&wide(), from("Dept").select(["Id"]), "the query must be about `User`, not about `Dept` at $");
    says!(&wide(), join(from("Dept")), "a select from `Dept` needs a select list at $");
    says!(&wide(), from("User").after([5], 10), "a cursor needs an order right before it, whose keys it follows at $");
    says!(&wide(), !prop_of("x", "Id").eq(1), "nothing here is called `x` at $.!.Left");
    says!(
        &narrow().max_take(100),
        from("User").take(101),
        "more than 100 rows are asked for: give a Take of at most 100 at $",
    );
    says!(&narrow(), prop("Id").in_list((0..2000).collect::<Vec<i32>>()), "a list is longer than 1000 at $.Right");
    says!(&narrow(), many, "nodes and list values are more than 5000 at $.$and[5].Right");
    says!(&narrow(), prop("Name").eq("x".repeat(70_000)), "names and texts have more bytes than 65536 at $.Right");
    says!(&wide(), nested, "subqueries nest deeper than 3 at $.InnerExpr.InnerExpr.InnerExpr");
    says!(&wide().max_joins(0), join(from("Open")), "there are more joins than 0 at $.Joins[0]");
    says!(
        &narrow().max_nodes(60),
        doubled,
        "nodes are more than 60, each column of a derived table written out at $.Selects[0].Value.Left",
    );
    says!(&narrow(), from_args("User", ["202401"]), "arguments of the table `User` are not allowed at $");
    says!(&narrow(), !prop("Name").regexp_like("a"), "the comparison `regexp` is not allowed at $.!");
    says!(&narrow(), from("User").aliased("a b"), "`a b` is no alias: letters, digits and `_` only at $");
    let common = |alias: &'static str, query: SelectExpr| SqlSegment::from(query.with(alias));
    says!(&wide(), join(cte("c")), "no common table `c` is defined at $.Joins[0].$join");
    says!(&wide(), common("c", from("User").select_all()), "the common table `c` needs a select list at $");
    let own = from("User").select(["Id"]).union_all(cte("c").select(["Id"]));
    says!(&wide(), common("c", own), "the common table `c` refers to itself at $.$cte.Next[0].$select");
    let pair = |one, other| SqlSegment::from(cte(one).select(["Id"]).with(other));
    says!(
        &wide(),
        pair("b", "a").join(TableJoinType::Cross, pair("a", "b"), None),
        "the common table `a` leads back to itself at $",
    );
    says!(
        &wide(),
        common("c", from("User").select(["Id"])).join(
            TableJoinType::Cross,
            common("C", from("Dept").select(["Id"])),
            None,
        ),
        "the common table `C` is defined in two ways at $.Joins[0].$join",
    );
    assert!(other.is_empty(), "{other:#?}");
}

#[test]
fn a_message_does_not_repeat_what_is_long_or_odd() {
    let name = "x\n".repeat(10_000);
    let refusal = narrow().check(&func(name, [1]).eq(1), &Tables).unwrap_err();
    assert!(refusal.to_string().len() < 200 && !refusal.to_string().contains('\n'));
}

/// Trees that the wide policy accepts.
fn accepted() -> impl Strategy<Value = LogicExpr> {
    let leaf = (0..4_usize, 0..5_i64).prop_map(|(name, n)| prop(["Id", "Name", "Age", "DeptId"][name]).eq(n));
    leaf.prop_recursive(3, 24, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|x| !x),
            proptest::collection::vec(inner.clone(), 1..3).prop_map(LogicExpr::all),
            inner.clone().prop_map(|x| if_else(x, prop("Id") + 1, func("Abs", [prop("Id")])).gt(3)),
            inner.clone().prop_map(|x| exists("Open", x).into()),
            inner.clone().prop_map(|x| prop("Id").in_list(from("Open").filter(x).select(["Id"]))),
            inner.clone().prop_map(|x| {
                let list = [prop("Id").sum().filter(x).over().order_by([prop("Id").desc()]).alias("a")];
                prop("Id").in_list(from("User").select(list).union(from("Open").order_by([prop("Id")]).select(["Id"])))
            }),
            inner.prop_map(|x| {
                exists_query(
                    from("Open").join(TableJoinType::Left, from("User").aliased("u"), x).group_by([prop("Age")]),
                )
            }),
        ]
    })
}

proptest! {
    /// One property of an accepted tree becomes a hidden one: there is no place where that is missed.
    #[test]
    fn no_place_hides_a_hidden_property(tree in accepted(), which in 0..1000_usize) {
        let policy = wide().max_nesting(100).max_joins(100);
        let mut expr = Expr::from(tree);
        prop_assert_eq!(policy.check(&expr, &Tables), Ok(()));
        let mut properties = 0;
        rewrite(&mut expr, |node| properties += usize::from(node.as_ref().kind() == ExprType::Property));
        let mut at = 0;
        rewrite(&mut expr, |node| {
            if let ExprMut::Value(ValueTypeExpr::Property(property)) = node {
                if at == which % properties {
                    property.name = "Password".into();
                }
                at += 1;
            }
        });
        let refusal = policy.check(&expr, &Tables).unwrap_err();
        prop_assert_eq!(refusal.rule, PolicyRule::HiddenProperty);
        // A stranger cannot tell it from a name that nothing has.
        rewrite(&mut expr, |node| {
            if let ExprMut::Value(ValueTypeExpr::Property(property)) = node
                && property.name == *"Password"
            {
                property.name = "Nonsense".into();
            }
        });
        let absent = policy.check(&expr, &Tables).unwrap_err();
        prop_assert_eq!(refusal.to_string().replace("Password", "Nonsense"), absent.to_string());
    }

    /// One function, entity or kind that is not allowed is found wherever a predicate can stand.
    #[test]
    fn no_place_hides_a_node(tree in accepted(), which in 0..1000_usize, what in 0..3_usize) {
        let (bad, rule) = match what {
            0 => (func("pg_sleep", [10]).eq(1), PolicyRule::Function),
            1 => (exists("Session", None).into(), PolicyRule::Entity),
            _ => (sql("k", 1).into(), PolicyRule::Kind),
        };
        let policy = wide().max_nesting(100).max_joins(100);
        let mut expr = Expr::from(tree);
        let mut predicates = 0;
        rewrite(&mut expr, |node| predicates += usize::from(matches!(node, ExprMut::Logic(_))));
        let mut at = 0;
        rewrite(&mut expr, |node| {
            if let ExprMut::Logic(predicate) = node {
                if at == which % predicates {
                    *predicate = bad.clone();
                }
                at += 1;
            }
        });
        prop_assert_eq!(policy.check(&expr, &Tables).map_err(|refusal| refusal.rule), Err(rule));
    }
}

/// A stranger does not know the kinds of nodes by their names here.
#[test]
fn kinds_are_named_in_words() {
    let message = |expr: &Expr| narrow().check(expr, &Tables).unwrap_err().message;
    assert_eq!(message(&sql("mine", 1).into()), "a registered SQL fragment is not allowed");
    assert_eq!(message(&table("User").delete().all_rows().into()), "DELETE is not allowed");
    assert_eq!(message(&from("User").lock(LockMode::Update, LockWait::Wait).into()), "a row lock is not allowed");
    let long = "a".repeat(Name::MAX_LEN + 1);
    let long = from("User").select([prop("Id").alias(Name::new(&long))]).into_segment().into();
    assert!(message(&long).ends_with("is no alias: it is over 128 bytes long"));
}

#[test]
fn values_that_engines_do_not_agree_on_are_refused() {
    use chrono::{DateTime, NaiveDate};

    let policy = QueryPolicy::new("User").allow_functions(["AddDays", "AddYears", "Concat"]);
    let verdict = |value: LogicExpr| match policy.check(&value, &Tables) {
        Ok(()) => None,
        Err(refusal) => Some((refusal.rule, refusal.path.to_string())),
    };
    let refused = |place: &str| Some((PolicyRule::Value, place.to_owned()));
    let added = |name: &'static str, span: Value| {
        func(name, [ValueTypeExpr::from(prop("Name")), ValueTypeExpr::from(constant(span))]).is_null()
    };
    let number = |number: i64| ValueTypeExpr::from(constant(number));
    let is = |value: Value| prop("Name").eq(value);
    let day = |year, month, day| NaiveDate::from_ymd_opt(year, month, day).unwrap();
    for (value, expected) in [
        (is("a\0b".into()), refused("$.Right")),
        (prop("Name").in_list(["x", "a\0b"]), refused("$.Right")),
        (is(day(0, 12, 31).into()), refused("$.Right")),
        (is(day(10_000, 1, 1).into()), refused("$.Right")),
        (is(day(1, 1, 1).into()), None),
        (is(day(9999, 12, 31).into()), None),
        (is(day(0, 12, 31).and_hms_opt(0, 0, 0).unwrap().into()), refused("$.Right")),
        (is(DateTime::parse_from_rfc3339("0001-01-01T00:00:00+01:00").unwrap().into()), refused("$.Right")),
        (added("AddDays", 3_652_059.into()), refused("$.Left")),
        (added("adddays", (-3_652_059).into()), refused("$.Left")),
        (added("AddDays", 3_652_058.into()), None),
        (added("AddYears", i64::MIN.into()), refused("$.Left")),
        (func("AddYears", [prop("Name"), prop("Age")]).is_null(), None),
        (prop("Age").gt(number(i64::MAX) + number(1)), refused("$.Right")),
        (prop("Age").gt(number(i64::MAX) - number(1)), None),
        (prop("Age").gt(-number(i64::MIN)), refused("$.Right")),
        (prop("Age").gt(prop("Age") + i64::MAX), None),
    ] {
        assert_eq!(verdict(value.clone()), expected, "{value:?}");
    }
}
