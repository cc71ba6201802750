//! Joins, relations and foreign columns.

use super::*;
use crate::expr::{Name, TableJoinType};

fn joins(catalog: &Catalog, entity: &str) -> Vec<(String, Option<usize>)> {
    catalog.entity(entity).unwrap().1.joins.iter().map(|join| (join.alias.to_string(), join.source)).collect()
}

fn pairs(joins: &[(&str, Option<usize>)]) -> Vec<(String, Option<usize>)> {
    joins.iter().map(|(alias, source)| ((*alias).to_owned(), *source)).collect()
}

#[test]
fn keys_are_checked() {
    let with = |target: TableDef, join: TableJoinDef| {
        let table = entity("A").column(col("X")).column(ColumnDef::new("S", T::String)).table_join(join);
        errors(Catalog::builder().table(table).table(target))
    };
    let pair =
        || TableDef::new("B").column(id()).column(col("Line").primary_key()).column(ColumnDef::new("S", T::String));
    assert_eq!(
        with(pair(), TableJoinDef::new("B", ["X"])),
        ["entity `A`: join `B` has 1 foreign key(s) for 2 key column(s) of `B`: give one each"]
    );
    assert_eq!(with(pair(), TableJoinDef::new("B", ["X", "Y"])), ["entity `A`: join `B`: key `Y` is no column of `A`"]);
    assert_eq!(
        with(pair(), TableJoinDef::new("B", ["X"]).prime_keys(["Lin"])),
        ["entity `A`: join `B`: key `Lin` is no column of `B` (did you mean `Line`?)"]
    );
    assert_eq!(
        with(pair(), TableJoinDef::new("B", ["X"]).prime_keys(["S"])),
        ["entity `A`: join `B`: `X` has type Int32 and `B.S` type String: they cannot be equal"]
    );
    assert_eq!(
        with(TableDef::new("B").column(col("Z")), TableJoinDef::new("B", ["X"])),
        ["entity `A`: join `B`: `B` has no primary key: say which of its columns are meant by prime_keys"]
    );
    assert_eq!(
        with(pair(), TableJoinDef::new("B", ["X"]).join_type(TableJoinType::Cross)),
        ["entity `A`: cross join `B` has keys: leave them out, or choose another kind of join"]
    );
    assert_eq!(
        with(pair(), TableJoinDef::new("B", [] as [&str; 0])),
        ["entity `A`: join `B` has 0 foreign key(s) for 2 key column(s) of `B`: give one each"]
    );
    let beside = entity("A").foreign("Y", ForeignType::new("A"));
    assert_eq!(error(beside), "entity `A`: a relation to `A` belongs to property `Y`, which is no column");
    // Kinds of numbers, and of text, are equal to each other.
    let wide = TableDef::new("B").column(ColumnDef::new("Id", T::Decimal).primary_key());
    let table = entity("A").column(ColumnDef::new("X", T::Byte).foreign(ForeignType::new("B")));
    assert!(Catalog::builder().table(wide).table(table).build().is_ok());
}

#[test]
fn a_cross_join_has_no_keys_and_is_no_relation() {
    let join = TableJoinDef::new("B", [] as [&str; 0]).join_type(TableJoinType::Cross);
    let catalog = Catalog::builder().table(entity("A").table_join(join)).table(entity("B")).build().unwrap();
    let (_, a) = catalog.entity("A").unwrap();
    assert_eq!((a.joins.len(), a.joins[0].keys.len(), a.relations.len()), (1, 0, 0));
}

#[test]
fn aliases_are_the_targets_names_and_may_not_repeat() {
    let twice =
        entity("A").column(col("X").foreign(ForeignType::new("A"))).column(col("Y").foreign(ForeignType::new("A")));
    assert_eq!(error(twice), "entity `A` has two joins named `A`: give one an alias");
    let mixed = entity("A")
        .column(col("X").foreign(ForeignType::new("A").alias("up")))
        .table_join(TableJoinDef::new("A", ["X"]).alias("UP").prime_keys(["X"]));
    assert_eq!(error(mixed), "entity `A` has two joins named `up`: give one an alias");
    // The same join said again, by a view for instance, is one join.
    let again = Catalog::builder()
        .table(entity("A").column(col("X").foreign(ForeignType::new("A"))))
        .view(ViewDef::new("V", "A").foreign("X", ForeignType::new("a").auto_expand()))
        .build()
        .unwrap();
    assert_eq!(joins(&again, "V"), pairs(&[("A", None)]));
    let named = Catalog::builder()
        .table(entity("Ns.B"))
        .table(entity("A").column(col("X").foreign(ForeignType::new("Ns.B"))))
        .build()
        .unwrap();
    assert_eq!(joins(&named, "A"), pairs(&[("B", None)]));
}

#[test]
fn sources_are_found_and_joins_ordered() {
    let chain = |first: &'static str, second: &'static str| {
        Catalog::builder().table(entity("C").column(col("Name"))).table(entity("B").column(col("CId"))).table(
            entity("A")
                .column(col("BId").foreign(ForeignType::new("B")))
                .table_join(TableJoinDef::new("C", ["CId"]).source(first))
                .table_join(TableJoinDef::new("A", ["Id"]).source(second).alias("Same")),
        )
    };
    let catalog = chain("b", "C").build().unwrap();
    assert_eq!(joins(&catalog, "A"), pairs(&[("B", None), ("C", Some(0)), ("Same", Some(1))]));
    let (_, a) = catalog.entity("A").unwrap();
    assert_eq!((a.joins[1].keys.as_slice(), a.relations.len()), (&[(1, 0)][..], 1));
    // The main table's own name is the main table.
    assert_eq!(joins(&chain("B", "A").build().unwrap(), "A"), pairs(&[("Same", None), ("B", None), ("C", Some(1))]));
    assert_eq!(
        errors(chain("Bb", "A")),
        [
            "entity `A`: join `C` has source `Bb`, which is no join's alias or entity (did you mean `B`?)",
            "entity `A`: join `C`: key `CId` is no column of `A` (did you mean `Id` or `BId`?)"
        ]
    );
    let circle = errors(chain("Same", "C"));
    let is = |alias: &str| {
        format!(
            "entity `A`: join `{alias}` hangs on itself by way of its source: one of the joins must hang on the main table"
        )
    };
    assert_eq!(circle, [is("C"), is("Same")]);
    let several = Catalog::builder().table(entity("B").column(col("X"))).table(
        entity("A")
            .column(col("P").foreign(ForeignType::new("B").alias("First")))
            .column(col("Q").foreign(ForeignType::new("B").alias("Second")))
            .table_join(TableJoinDef::new("A", ["X"]).source("B").alias("Back")),
    );
    assert_eq!(
        errors(several)[0],
        "entity `A`: join `Back` has source `B`, which several joins lead to: say which of `First`, `Second`"
    );
}

/// A chain of companies: a shop has two users, each with a department with a site.
fn company(shop: fn(TableDef) -> TableDef) -> CatalogBuilder {
    Catalog::builder()
        .table(entity("Site").column(col("City")))
        .table(entity("Dept").column(col("Head")).column(col("SiteId").foreign(ForeignType::new("Site"))))
        .table(entity("Person").column(col("DeptId").foreign(ForeignType::new("Dept").auto_expand())))
        .table(shop(entity("Shop").column(col("Owner")).column(col("Seller"))))
}

#[test]
fn auto_expand_goes_on_where_the_target_says_so() {
    let owner = |d: TableDef| d.foreign("Owner", ForeignType::new("Person").auto_expand());
    let catalog = company(owner).build().unwrap();
    assert_eq!(joins(&catalog, "Shop"), pairs(&[("Person", None), ("Dept", Some(0)), ("Site", Some(1))]));
    let (_, shop) = catalog.entity("Shop").unwrap();
    assert_eq!(shop.joins.iter().map(|join| join.declared).collect::<Vec<_>>(), [true, false, false]);
    assert_eq!(shop.relations.len(), 1);
    let plain = |d: TableDef| d.foreign("Owner", ForeignType::new("Person"));
    assert_eq!(joins(&company(plain).build().unwrap(), "Shop"), pairs(&[("Person", None)]));
}

#[test]
fn auto_expanded_joins_of_one_name_take_their_parents() {
    let both = |d: TableDef| {
        d.foreign("Owner", ForeignType::new("Person").alias("Owner").auto_expand())
            .foreign("Seller", ForeignType::new("Person").alias("Seller").auto_expand())
    };
    let catalog = company(both)
        .view(ViewDef::new("V", "Shop").foreign_column("City", "Seller_Dept_Site", "City"))
        .build()
        .unwrap();
    assert_eq!(
        joins(&catalog, "V"),
        pairs(&[
            ("Owner", None),
            ("Seller", None),
            ("Owner_Dept", Some(0)),
            ("Seller_Dept", Some(1)),
            ("Owner_Dept_Site", Some(2)),
            ("Seller_Dept_Site", Some(3)),
        ])
    );
    let used: Vec<bool> = catalog.entity("V").unwrap().1.joins.iter().map(|join| join.used_by_default).collect();
    assert_eq!(used, [false, true, false, true, false, true]);
    let unclear = company(both).view(ViewDef::new("V", "Shop").foreign_column("City", "Site", "City"));
    assert_eq!(
        errors(unclear),
        ["entity `V`: foreign column `City` comes from `Site`, which several joins lead to: name the alias of one of \
          `Owner_Dept_Site` (V.Owner, Person.DeptId, Dept.SiteId) and \
          `Seller_Dept_Site` (V.Seller, Person.DeptId, Dept.SiteId); a relation whose alias another join would have as \
          well takes one of its own"]
    );
}

#[test]
fn a_further_relation_does_not_lead_a_name_elsewhere() {
    let owner = |shop: TableDef| shop.foreign("Owner", ForeignType::new("Person").auto_expand());
    let city = |site: &str| ViewDef::new("V", "Shop").foreign_column("City", site, "City");
    let way = |builder: CatalogBuilder| {
        let catalog = builder.build().unwrap();
        let (_, view) = catalog.entity("V").unwrap();
        view.joins[view.foreign_columns[0].join].alias.to_string()
    };
    let named = |alias: &'static str| col("Store").foreign(ForeignType::new("Site").alias(alias));
    assert_eq!(way(company(owner).view(city("Site"))), "Site");
    // One with an alias of its own takes no name from another.
    assert_eq!(way(company(owner).view(city("Site").column(named("Store")))), "Site");
    assert_eq!(way(company(owner).view(city("Store").column(named("Store")))), "Store");
    let ambiguous = |view: ViewDef| {
        let says = errors(company(owner).view(view));
        assert_eq!(
            says,
            [
                "entity `V`: foreign column `City` comes from `Site`, which several joins lead to: name the alias of one of \
              `Site` (V.Store) and `Dept_Site` (V.Owner, Person.DeptId, Dept.SiteId); a relation whose alias another \
              join would have as well takes one of its own"
            ]
        );
    };
    ambiguous(city("Site").column(col("Store").foreign(ForeignType::new("Site"))));
    ambiguous(city("Site").column(named("Site")));
    assert_eq!(way(company(owner).view(city("Dept_Site").column(named("Site")))), "Dept_Site");
    // So does the name of an entity that is no alias: none of two joins to it goes first.
    let spaced = |view: ViewDef| {
        let builder = Catalog::builder()
            .table(entity("Ns.Site").column(col("City")))
            .table(entity("Dept").column(col("SiteId").foreign(ForeignType::new("Ns.Site").alias("Place"))))
            .table(entity("Shop").column(col("DeptId").foreign(ForeignType::new("Dept").auto_expand())));
        builder.view(view)
    };
    assert_eq!(way(spaced(city("Ns.Site"))), "Place");
    let store = col("Store").foreign(ForeignType::new("Ns.Site").alias("Store"));
    assert!(
        errors(spaced(city("Ns.Site").column(store)))[0]
            .contains("`Store` (V.Store) and `Place` (V.DeptId, Dept.SiteId)")
    );
    // A source of a further join is named in the same way.
    let hung =
        ViewDef::new("V", "Shop").column(named("Site")).table_join(TableJoinDef::new("Shop", ["Id"]).source("Site"));
    assert_eq!(
        errors(company(owner).view(hung))[0],
        "entity `V`: join `Shop` has source `Site`, which several joins lead to: say which of `Site`, `Dept_Site`"
    );
}

#[test]
fn auto_expand_ends() {
    let tree = entity("Tree").column(col("Up").foreign(ForeignType::new("Tree").alias("Parent").auto_expand()));
    let catalog = Catalog::builder().table(tree).build().unwrap();
    assert_eq!(joins(&catalog, "Tree"), pairs(&[("Parent", None)]));

    let mut wide = entity("Wide");
    for i in 0..20 {
        let alias = format!("Next{i}");
        wide = wide.column(col(&format!("C{i}")).foreign(ForeignType::new("Wide").alias(alias.as_str()).auto_expand()));
    }
    assert_eq!(error(wide), "entity `Wide` has over 256 joins: use AutoExpand less");
}

#[test]
fn foreign_columns_of_other_views_are_followed() {
    let owner = |d: TableDef| d.foreign("Owner", ForeignType::new("PersonView").alias("Owner"));
    let builder = || {
        company(owner).view(ViewDef::new("DeptView", "Dept").foreign_column("City", "Site", "City")).view(
            ViewDef::new("PersonView", "Person")
                .foreign("DeptId", ForeignType::new("DeptView").alias("D"))
                .foreign_column("City", "D", "City"),
        )
    };
    let view = ViewDef::new("V", "Shop")
        .foreign_column("City", "Owner", "City")
        .foreign_column_def(ForeignColumnDef::new("Head", "PersonView").property("City").not_filterable());
    let catalog = builder().view(view).build().unwrap();
    assert_eq!(joins(&catalog, "V"), pairs(&[("Owner", None), ("D", Some(0)), ("Site", Some(1))]));
    let (_, v) = catalog.entity("V").unwrap();
    assert_eq!((v.foreign_columns[0].join, v.foreign_columns[1].join), (2, 2));
    assert_eq!(catalog.foreign(&v.foreign_columns[0]).unwrap().name, Name::new("City"));
    assert!(v.foreign_columns[0].filterable && !v.foreign_columns[1].filterable);
    // A relation that is declared to a view leads to its entity as well.
    let id = |name: &str| catalog.entity(name).unwrap().0;
    assert_eq!(catalog.relations(id("Shop"), id("Person")).count(), 1);
    assert_eq!(catalog.relations(id("Shop"), id("PersonView")).count(), 1);

    // Of an alias that is taken, the parent's is put in front.
    let taken = ViewDef::new("V", "Shop")
        .column(col("Other").foreign(ForeignType::new("Site").alias("D")))
        .foreign_column("City", "Owner", "City");
    let catalog = builder().view(taken).build().unwrap();
    assert_eq!(joins(&catalog, "V"), pairs(&[("Owner", None), ("D", None), ("Owner_D", Some(0)), ("Site", Some(2))]));
}

#[test]
fn foreign_columns_are_checked() {
    let owner = |d: TableDef| d.foreign("Owner", ForeignType::new("Person"));
    let with = |view: ViewDef| errors(company(owner).view(view));
    assert_eq!(
        with(ViewDef::new("V", "Shop").foreign_column("X", "Persn", "Id")),
        [
            "entity `V`: foreign column `X` comes from `Persn`, which is no join's alias or entity (did you mean `Person`?)"
        ]
    );
    assert_eq!(
        with(ViewDef::new("V", "Shop").foreign_column("X", "Site", "City")),
        ["entity `V`: foreign column `X` comes from `Site`, which is no join's alias or entity"]
    );
    assert_eq!(
        with(ViewDef::new("V", "Shop").foreign_column_def(ForeignColumnDef::new("DeptI", "Person"))),
        ["entity `V`: foreign column `DeptI` is `Person.DeptI`, which is not defined (did you mean `DeptId`?)"]
    );
    assert_eq!(
        with(ViewDef::new("V", "Shop").foreign_column("Owner", "Person", "Id")),
        ["entity `V` has two properties `Owner`: give one another name; case makes no difference"]
    );
    let circle = Catalog::builder()
        .table(entity("A").column(col("BId").foreign(ForeignType::new("BView"))).foreign_column("X", "BView", "Y"))
        .table(entity("B").column(col("AId").foreign(ForeignType::new("A"))))
        .view(ViewDef::new("BView", "B").foreign_column("Y", "A", "X"));
    let errors = errors(circle);
    assert_eq!(errors.len(), 2, "{errors:#?}");
    assert!(errors[0].ends_with("foreign column `X` comes from itself by way of other views"), "{errors:#?}");
}

#[test]
fn a_hidden_column_stays_hidden_behind_a_view() {
    let view = ViewDef::new("V", "Order").foreign_column("Secret", "SalesUser", "Password");
    let catalog = sample::builder().view(view).build().unwrap();
    let (_, v) = catalog.entity("V").unwrap();
    assert!(!v.foreign_columns[0].filterable);
    assert!(v.near_matches("Secret").is_empty());
}

#[test]
fn relations_are_the_main_tables_and_each_way_is_one() {
    let table = entity("A")
        .column(col("BId").foreign(ForeignType::new("B")).foreign(ForeignType::new("BView").alias("Again")))
        .column(col("Other").foreign(ForeignType::new("B").alias("Other")));
    let catalog = Catalog::builder()
        .table(entity("B").column(col("X")))
        .view(ViewDef::new("BView", "B").column(col("Code")))
        .table(table)
        .table(entity("C").column(col("K")).table_join(TableJoinDef::new("BView", ["K"]).prime_keys(["Code"])))
        .build()
        .unwrap();
    let id = |name: &str| catalog.entity(name).unwrap().0;
    let ways = |from: &str, to: &str| catalog.relations(id(from), id(to)).map(|r| r.keys.clone()).collect::<Vec<_>>();
    assert_eq!(ways("A", "B"), [[(1, 0)], [(2, 0)]]);
    // By a column that only the view has, only the view is reached.
    assert!(ways("C", "B").is_empty());
    assert_eq!(ways("C", "BView"), [[(1, 2)]]);
}
