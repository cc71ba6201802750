//! Every row of the notation's table, and what is refused. Requirement A12.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use isogloss::chrono::NaiveDate;
use isogloss::expr::DbValueType::{Boolean, Date, DateTime2, Decimal, Guid, Int32, Int64, String as Text};
use isogloss::model::{ColumnDef, ForeignType, TableDef, ViewDef};
use isogloss::{Compiler, SQLITE};

use super::*;

fn catalog() -> Catalog {
    let id = || ColumnDef::new("Id", Int64).primary_key();
    Catalog::builder()
        .table(TableDef::new("Department").column(id()).column(ColumnDef::new("Name", Text).length(50)))
        .table(
            TableDef::new("Order")
                .column(id())
                .column(ColumnDef::new("CustomerName", Text).length(50).nullable())
                .column(ColumnDef::new("Quantity", Int32).nullable())
                .column(ColumnDef::new("Amount", Decimal).precision(18, 2))
                .column(ColumnDef::new("IsDeleted", Boolean).nullable())
                .column(ColumnDef::new("Day", Date))
                .column(ColumnDef::new("CreatedTime", DateTime2))
                .column(ColumnDef::new("Token", Guid))
                .column(ColumnDef::new("Kind", Int32).enumeration([("Platform", 1), ("Merchant", 2)]))
                .column(ColumnDef::new("Status", Text).length(20).enumeration([("Pending", 0), ("Paid", 1)]))
                .column(ColumnDef::new("Secret", Text).length(50).not_filterable())
                .column(ColumnDef::new("DepartmentId", Int64).foreign(ForeignType::new("Department"))),
        )
        .view(ViewDef::new("OrderView", "Order").foreign_column("DepartmentName", "Department", "Name"))
        .build()
        .unwrap()
}

fn policy() -> QueryPolicy {
    QueryPolicy::new("OrderView")
}

fn read_by(policy: &QueryPolicy, text: &str) -> Result<StringQuery, String> {
    let catalog = catalog();
    let (view, _) = catalog.entity("OrderView").unwrap();
    QueryString::new(&catalog, view, policy).read(text).map_err(|error| error.to_string())
}

fn read(text: &str) -> Result<StringQuery, String> {
    read_by(&policy(), text)
}

#[track_caller]
fn is(text: &str, expected: impl Into<Option<LogicExpr>>) {
    let query = read(text).unwrap();
    assert_eq!(query.filter, expected.into(), "{text}");
    // What is read also compiles.
    let tree = query.into_segment("OrderView");
    Compiler::new(catalog()).compile(&tree, &SQLITE).unwrap();
}

#[track_caller]
fn refused(text: &str, message: &str) {
    assert_eq!(read(text), Err(message.to_owned()), "{text}");
}

fn dec(text: &str) -> isogloss::expr::Decimal {
    text.parse().unwrap()
}

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

#[test]
fn equal_and_null() {
    is("customerName=Ann", prop("CustomerName").eq("Ann"));
    is("customerName==Ann", prop("CustomerName").eq("Ann"));
    is("customerName=", prop("CustomerName").is_null());
    is("customerName", prop("CustomerName").is_null());
    is("customerName==", prop("CustomerName").is_null());
    is("quantity=", prop("Quantity").is_null());
    is("quantity=+", prop("Quantity").is_null());
    is("customerName=!", prop("CustomerName").is_not_null());
    is("customerName=!=", prop("CustomerName").is_not_null());
    is("customerName=!!", prop("CustomerName").is_null());
}

#[test]
fn comparisons() {
    is("quantity=>5", prop("Quantity").gt(5));
    is("quantity=<5", prop("Quantity").lt(5));
    is("quantity=>=5", prop("Quantity").ge(5));
    is("quantity=<=5", prop("Quantity").le(5));
    is("amount=%3E%3D100.50", prop("Amount").ge(dec("100.50")));
    is("day=<2024-02-01", prop("Day").lt(day("2024-02-01")));
    is("createdTime=>=2024-02-01", prop("CreatedTime").ge(day("2024-02-01").and_hms_opt(0, 0, 0).unwrap()));
    // Several of one property are a range.
    is("quantity=>=1&quantity=<=9", prop("Quantity").ge(1) & prop("Quantity").le(9));
}

#[test]
fn texts_that_are_searched_for() {
    is("customerName=%25nn", prop("CustomerName").contains("nn"));
    is("customerName=%nn", prop("CustomerName").contains("nn"));
    is("customerName=*A%25_n", prop("CustomerName").like("A%_n"));
    let (left, right) = (prop("DepartmentName").into(), value("R&D").into());
    let not_in_it = LogicBinaryExpr { left, operator: LogicOperator::NotContains, right };
    is("departmentName=!%R%26D", LogicExpr::from(not_in_it));
    refused("quantity=%5", "query parameter `quantity`: `%` searches in texts, and this property is none");
    refused("status=*P", "query parameter `status`: `*` searches in texts, and this property is none");
    refused("customerName=%25", "query parameter `customerName`: `%` needs a value behind it");
}

#[test]
fn patterns_are_for_the_policy_to_allow() {
    refused("customerName=$^A", "query parameter `customerName`: the comparison `regexp` is not allowed");
    let regular = policy().allow_operators([LogicOperator::RegexpLike]);
    let query = read_by(&regular, "customerName=$^A").unwrap();
    assert_eq!(query.filter, Some(prop("CustomerName").regexp_like("^A")));
    let no_like = policy().deny_operators([LogicOperator::Like]);
    assert!(read_by(&no_like, "customerName=*A").is_err());
}

#[test]
fn negations() {
    is("customerName=!Ann", prop("CustomerName").ne("Ann"));
    is("customerName=!*A", prop("CustomerName").not_like("A"));
    is("quantity=!1,2", prop("Quantity").not_in_list([1, 2]));
    is("customerName=! !x", prop("CustomerName").ne("!x"));
    // What the original takes for a number that is none.
    is("quantity=!>=5", prop("Quantity").lt(5));
    is("quantity=!<5", prop("Quantity").ge(5));
    is("quantity=<>5", prop("Quantity").ne(5));
    is("quantity=!<>5", prop("Quantity").eq(5));
}

#[test]
fn lists() {
    is("customerName=Ann,Bob,C D", prop("CustomerName").in_list(["Ann", "Bob", "C D"]));
    is("id=1, 2,3", prop("Id").in_list([1, 2, 3]));
    is("status=paid,0", prop("Status").in_list(["Paid", "Pending"]));
    is("customerName==Ann,Bob", prop("CustomerName").eq("Ann,Bob"));
    refused(
        "quantity=1,,2",
        "query parameter `quantity`: an item of the list is empty; a text with a comma is written `=a,b`",
    );
    let many = format!("id={}", vec!["1"; 1_001].join(","));
    assert!(read(&many).unwrap_err().starts_with("query parameter `id`: "));
}

#[test]
fn a_leading_blank_protects_a_text() {
    is("customerName=+%3Ex", prop("CustomerName").eq(">x"));
    is("customerName=%20!", prop("CustomerName").eq("!"));
    is("customerName=+a,b", prop("CustomerName").eq("a,b"));
    is("customerName=++a", prop("CustomerName").eq(" a"));
    is("customerName=+", prop("CustomerName").eq(""));
    is("quantity=+5", prop("Quantity").eq(5));
}

#[test]
fn values_take_the_type_of_the_property() {
    for (yes, no) in [("Y", "N"), ("t", "f"), ("1", "0"), ("true", "False")] {
        is(&format!("isDeleted={yes}"), prop("IsDeleted").eq(true));
        is(&format!("isDeleted={no}"), prop("IsDeleted").eq(false));
    }
    is("kind=2", prop("Kind").eq(2));
    is("kind=MERCHANT", prop("Kind").eq(2));
    is("status=1", prop("Status").eq("Paid"));
    refused(
        "quantity=2147483648",
        "query parameter `quantity`: text \"2147483648\" does not fit `Quantity`, Int32: it takes -2147483648 to 2147483647",
    );
    refused(
        "kind=Sultan",
        "query parameter `kind`: text \"Sultan\" does not fit `Kind`, Int32: expected `Platform`, `Merchant`",
    );
    refused("day=>soon", "query parameter `day`: text \"soon\" does not fit `Day`, Date: expected yyyy-MM-dd");
    // A column of another table is called as the view calls it.
    assert!(read("token=5").unwrap_err().contains("`Token`, Guid"));
}

#[test]
fn order_and_page() {
    let query = read("orderby=amount DESC , id&page=3").unwrap();
    assert_eq!(query.order, [prop("Amount").desc(), prop("Id").asc()]);
    assert_eq!((query.skip, query.take, query.is_page), (20, 10, true));
    let query = read("OrderBy=departmentName asc").unwrap();
    assert_eq!((query.order, query.is_page), (vec![prop("DepartmentName").asc()], false));
    // A page before the first one is the first one, and no negative skip.
    for page in ["0", "-5", "-9223372036854775808", "1"] {
        assert_eq!(read(&format!("page={page}")).unwrap().skip, 0);
    }
    let no_number = "query parameter `page`: the page is a whole number, the first is 1";
    refused("page=two", no_number);
    refused("page=", no_number);
    refused("page=9223372036854775807", no_number);
    refused("page=1&Page=2", "query parameter `Page`: it is given twice");
    refused(
        "orderby=id sideways",
        "query parameter `orderby`: `sideways` is no direction: write `asc`, `desc` or nothing behind a property",
    );
    refused("orderby=nothing", "query parameter `orderby`: there is no property `nothing` to filter or sort by");
    assert_eq!(read("orderby=").unwrap().order, []);
}

#[test]
fn names_are_those_that_the_policy_shows() {
    is("CUSTOMERNAME=Ann", prop("CustomerName").eq("Ann"));
    is("DepartmentName=Sales", prop("DepartmentName").eq("Sales"));
    // What is hidden is told as what is not there, whatever stands behind it.
    for value in ["x", "$", "%", "1,,2"] {
        for name in ["nothing", "secret", "T0.Secret", "", "Id "] {
            refused(
                &format!("{name}={value}"),
                &format!("query parameter `{name}`: there is no property `{name}` to filter or sort by"),
            );
        }
    }
    assert!(read("orderby=secret").unwrap_err().ends_with("there is no property `secret` to filter or sort by"));
    let narrow = policy().deny_properties("OrderView", ["Amount"]);
    assert!(read_by(&narrow, "amount=x").unwrap_err().ends_with("there is no property `amount` to filter or sort by"));
}

#[test]
fn unknown_names_are_ignored_where_that_is_lenient() {
    let (catalog, policy) = (catalog(), policy());
    let (view, _) = catalog.entity("OrderView").unwrap();
    let lenient = QueryString::new(&catalog, view, &policy).lenient().page_size(25);
    let query = lenient.read("utm_source=x&secret=x&quantity=1&orderby=secret,nothing desc,id").unwrap();
    assert_eq!(query.filter, Some(prop("Quantity").eq(1)));
    assert_eq!((query.order, query.take), (vec![prop("Id").asc()], 25));
    // A value that does not fit is no name.
    assert!(lenient.read("quantity=much").is_err());
}

#[test]
fn what_is_no_text_is_told() {
    refused("customerName=%ff", "query parameter `customerName`: it is not UTF-8; in a URL a `%` is written `%25`");
    is("", None);
    is("&&quantity=1&", prop("Quantity").eq(1));
}

#[test]
fn the_whole_is_bounded_as_a_tree_is() {
    let text = vec!["quantity=1"; 5_000].join("&");
    let error = read(&text).unwrap_err();
    assert!(error.starts_with("query string: "), "{error}");
}
