//! The rules, by name.

use std::fmt;

macro_rules! rules {
    ($($(#[$doc:meta])* $rule:ident $name:literal $why:literal;)*) => {
        /// A named way of expressing what a target lacks by what it has.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[$doc])* $rule,)*
        }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Rule] = &[$(Rule::$rule),*];

            /// Its name, as notes and snapshots give it.
            pub fn name(self) -> &'static str {
                match self { $(Rule::$rule => $name,)* }
            }

            /// What it means for the caller.
            pub fn why(self) -> &'static str {
                match self { $(Rule::$rule => $why,)* }
            }
        }
    };
}

rules! {
    /// `SELECT a > 1` becomes `SELECT CASE WHEN a > 1 THEN 1 WHEN NOT a > 1 THEN 0 END`.
    BooleanAsCase "boolean_as_case" "a predicate is no value here; a CASE keeps all three of its answers";
    /// `WHERE paid` becomes `WHERE paid = 1`.
    BooleanAsComparison "boolean_as_comparison" "a truth value is no predicate here; it is compared with 1";
    /// `$1` becomes `CAST($1 AS integer)` where nothing around it tells its type.
    CastParameter "cast_parameter" "nothing around the parameter tells the engine its type";
    /// `LEFT(NULL, a)` becomes `NULL`, and `MIN(NULL)` `MIN(CAST(NULL AS int))`.
    TypedNull "typed_null" "the engine takes no NULL without a type there";
    /// `ORDER BY a NULLS LAST` becomes `ORDER BY CASE WHEN a IS NULL THEN 1 ELSE 0 END, a`.
    NullsOrder "nulls_order" "a key in front sorts the NULLs; an index on the column no longer gives the order";
    /// `(a, b) IN ((1, 2), (3, 4))` becomes `(a = 1 AND b = 2 OR a = 3 AND b = 4)`.
    TupleInOr "tuple_in_or" "rows are compared column by column";
    /// `(a, b) IN (SELECT x, y ...)` becomes `EXISTS (SELECT 1 FROM (...) WHERE x = a AND y = b)`.
    TupleInExists "tuple_in_exists" "rows are looked up by EXISTS";
    /// `(a, b) > (1, 2)` becomes `a >= 1 AND (a > 1 OR b > 2)`.
    TupleCompare "tuple_compare" "rows are compared column by column";
    /// `LAG(a, 1, $1)` becomes `LAG(CAST(a AS text), 1, CAST($1 AS text))`.
    CastDefault "cast_default" "the value and its default are brought to one type";
    /// `WHERE paid` becomes `WHERE paid = 1`, and `WHERE NOT paid` `WHERE paid = 0`.
    TruthAsNumber "truth_as_number" "a truth value is a number here, which an index finds in a comparison only";
    /// `LOWER(a)` stays, but knows fewer letters.
    AsciiCase "ascii_case" "only the letters of ASCII are folded here: `É` stays as it is";
    /// `a IN ($1, $2, ...)` becomes `a IN (SELECT value FROM json($1))`.
    ArrayAsJson "array_as_json" "the list is one parameter, a JSON text";
    /// `a IN ($1, $2, ...)` as it is.
    ListOneByOne "list_one_by_one" "a list in one parameter would be read again for each row: as long as half of all parameters hold the list, its items are bound one by one";
    /// `SUM(a) FILTER (WHERE p)` becomes `SUM(CASE WHEN p THEN a END)`.
    FilterToCase "filter_to_case" "an aggregate skips NULLs, so a CASE filters as well";
    /// `RANK() OVER ()` becomes `RANK() OVER (ORDER BY NULL)`.
    WindowOrderNull "window_order_null" "all rows are alike in the order that the engine wants";
    /// `SELECT DISTINCT ON (a) ...` becomes a `ROW_NUMBER()` over `a` of which the first is kept.
    DistinctOnRowNumber "distinct_on_row_number" "the first row of each group is found by its number";
    /// `SELECT f(a, $1) ... GROUP BY f(a, $2)` becomes `SELECT f(a, $1) ... GROUP BY 1`.
    GroupByPosition "group_by_position" "the engine treats two copies of the key as different expressions, so GROUP BY refers to the column by position";
    /// `SELECT f(a, $1) ... GROUP BY f(a, $2)` becomes `SELECT f(a, $1) ... GROUP BY f(a, $1)`.
    GroupByShared "group_by_shared" "two parameters are two expressions here: the key is bound once and written alike";
    /// `SELECT g(f(a, $1)) ... GROUP BY f(a, $2)` becomes `SELECT g(MIN(f(a, $1))) ... GROUP BY f(a, $2)`.
    GroupByLeast "group_by_least" "the engine treats two copies of the key as different expressions, so the copy is the least of its group, whose rows all have the same";
    /// `SUM((SELECT ...))` becomes `SUM(g.c) ... CROSS APPLY (SELECT (SELECT ...) AS c) g`.
    SubqueryApply "subquery_apply" "the engine does not accept a subquery or an outer column there, or does not recognize its copy, so the value is computed beside the row";
    /// `SELECT f(a, $1) ... GROUP BY f(a, $2)` becomes `SELECT g.c ... CROSS APPLY (SELECT f(a, $1) AS c) g GROUP BY g.c`.
    GroupByApply "group_by_apply" "two parameters are two expressions here: the key is computed beside the row";
    /// `(SELECT ... FROM u GROUP BY t.a, u.b)` becomes `(SELECT ... FROM u GROUP BY u.b)`.
    OuterKeyLeftOut "outer_key_left_out" "an outer column has one value in all rows of a subquery, so it is left out of GROUP BY and ORDER BY";
    /// `(SELECT ... FROM u GROUP BY t.a)` becomes `(SELECT ... FROM u GROUP BY NULL)`.
    OuterKeyIsNull "outer_key_is_null" "an outer column has one value in all rows of a subquery: it is left out of GROUP BY, and a constant stands for it if no key is left";
    /// `SELECT 1 FROM t HAVING COUNT(*) > 1` becomes `SELECT 1 FROM (SELECT COUNT(*) FROM t HAVING COUNT(*) > 1)`.
    HavingDerived "having_derived" "HAVING needs an aggregate in the select list, so a derived table around it counts the rows";
    /// `a FULL JOIN b` becomes `a LEFT JOIN b UNION ALL b's rows without a`.
    FullJoinUnion "full_join_union" "the rows without a partner are added by UNION ALL";
    /// `JOIN LATERAL (...) x ON p` becomes `CROSS APPLY (SELECT * FROM (...) x WHERE p) x`; without a condition, `CROSS APPLY (...) x`.
    LateralToApply "lateral_to_apply" "SQL Server writes LATERAL as APPLY, which has no ON: a condition becomes a filter of the joined query";
    /// `ORDER BY a LIMIT 5` stays, where the rows have no key.
    TiesInPage "ties_in_page" "the rows have no key, and may be alike in every column that can be sorted: pages may repeat such a row or miss it";
    /// `WHERE a > $1 ORDER BY a LIMIT 5` becomes `WHERE a > $1 ORDER BY a, "Id" LIMIT 5`.
    TiesAtCursor "ties_at_cursor" "the keys of the cursor are not unique: rows that are alike in them are left out where a page ends between them";
    /// `ROW_NUMBER() OVER ()` becomes `ROW_NUMBER() OVER (ORDER BY (SELECT NULL))`.
    OrderByNothing "order_by_nothing" "an order is asked for where there is none; a constant orders nothing";
    /// `(SELECT ... LIMIT 1) UNION ...` becomes `SELECT * FROM (SELECT ... LIMIT 1) UNION ...`.
    SetMemberDerived "set_member_derived" "a member with clauses or a set operation of its own is a derived table";
    /// `(SELECT ... UNION SELECT ... LIMIT 1)` becomes `(SELECT * FROM (SELECT ... UNION SELECT ...) LIMIT 1)`.
    PagedSetDerived "paged_set_derived" "SQL Server pages only the last member of a set operation in a subquery: the set operation is a derived table, of which the page is taken";
    /// `SELECT score ... EXCEPT ...` becomes `SELECT score + 0 ... EXCEPT ...`.
    SetZeroAdded "set_zero_added" "the set operation compares doubles bit by bit: a zero is added, after which none is negative";
    /// `SELECT name ... UNION ALL SELECT path || name` becomes `SELECT CAST(name AS text) ... UNION ALL ...`.
    RecursiveCast "recursive_cast" "a recursive query has the types of its first member: a column that its rounds compute is made wide there, with room for 4,000 characters where a text has a length";
    /// The same in every member.
    RecursiveCastAll "recursive_cast_all" "the members of a recursive query have the same types: a column that its rounds compute is made wide in each";
    /// A recursive query stops after a number of rounds.
    RecursionLimit "recursion_limit" "the engine stops after 1,000 rounds, unless the session allows more: MySQL by an error (cte_max_recursion_depth), MariaDB without one (max_recursive_iterations)";
    /// `a IN (SELECT ... LIMIT 1)` becomes `a IN (SELECT * FROM (SELECT ... LIMIT 1))`.
    LimitDerived "limit_derived" "a subquery with a limit is a derived table";
    /// `a IN (SELECT ROW_NUMBER() OVER (...) ...)` becomes `a IN (SELECT * FROM (SELECT ROW_NUMBER() OVER (...) ...))`.
    WindowDerived "window_derived" "a subquery with a window is a derived table: the engine would compare its rows before the window is computed";
    /// `EXISTS (SELECT 1 ...)` becomes `EXISTS (SELECT 1 ... LIMIT 1)`.
    ExistsLimited "exists_limited" "these versions take EXISTS for a join, and a page then counts a row for each match: with a limit it stays what it is";
    /// `UPPER(key)` becomes `UPPER(MIN(key))`.
    KeyAggregated "key_aggregated" "the key of a group stands in an aggregate there, as the engine knows it again by itself only: all rows of a group have the same";
    /// `DELETE FROM t WHERE EXISTS (...)` becomes `DELETE t FROM t WHERE EXISTS (...)`, and `UPDATE t SET` `UPDATE t JOIN (SELECT 1) SET`.
    ChangeOfTables "change_of_tables" "the engine asks an EXISTS row by row where a write names one table, and joins its rows where it may name several";
    /// `FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id = t.u_id AND ...)` becomes `FROM t JOIN u ON u.id = t.u_id AND ...`.
    ExistsJoined "exists_joined" "the engine asks an EXISTS row by row: by its key it has one row at most, and is a join, with which the engine may begin; a write chooses its rows by their keys then";
    /// `FROM t JOIN j ON ... LIMIT 20` becomes `FROM t CROSS JOIN j ON ... LIMIT 20`, or STRAIGHT_JOIN.
    JoinsInOrder "joins_in_order" "the joined tables only show columns, and may be read first and whole by the engine: the order of the tables is kept, so that they are looked up for the rows of the page";
    /// `WHERE p.a = 1 AND l.b = 2 OR p.a = 3 AND l.b = 4` becomes `WHERE (...) AND (p.a = 1 OR p.a = 3) AND (l.b = 2 OR l.b = 4)`.
    OrByTable "or_by_table" "the engine takes nothing from an OR over several tables: what it implies for each of them is added, so that the engine can begin with the one of fewer rows";
    /// `EXISTS (SELECT DISTINCT a ... OFFSET 5)` becomes `EXISTS (SELECT 1 ... GROUP BY a HAVING COUNT(*) > 0 OFFSET 5)`.
    ExistsGroupsCounted "exists_groups_counted" "EXISTS drops DISTINCT and GROUP BY and still skips rows: a condition of groups keeps them";
    /// `a NOT IN (SELECT x FROM t)` becomes `NOT EXISTS (SELECT 1 FROM t WHERE x = a)`.
    NotInExists "not_in_exists" "neither side is ever NULL, so that NOT EXISTS says the same and can be a join";
    /// `a = (SELECT b ...)` becomes `a = (SELECT b FROM (SELECT b ... LIMIT 2) GROUP BY NULL HAVING ...)`.
    ScalarCounted "scalar_counted" "the engine takes the first of several rows: two are read and counted, so that a second one is an error as it is elsewhere; a filter by a key, an aggregate or a page of one needs none of that";
    /// `JOIN t ON EXISTS (SELECT ...)` becomes `JOIN t ON EXISTS (SELECT ...) = 1`.
    SubqueryAsNumber "subquery_as_number" "the tables of a subquery there would be joined themselves, some of them twice or without their condition; a value is not";
    /// `d.text = REPLACE(d.text, ...)` becomes `d.text = REPLACE(CONCAT(d.text), ...)`.
    TextCopied "text_copied" "the function writes into the text that a derived table computes, which is then another one beside it, too";
    /// `(SELECT a ...) IN (SELECT b ...)` becomes `COALESCE((SELECT a ...)) IN (SELECT b ...)`.
    QueryInCoalesced "query_in_coalesced" "a bare subquery on the left of IN is found in any rows that may be NULL; a value is not";
    /// `SELECT ... LIMIT 1 FOR UPDATE` becomes `SELECT ... WHERE key IN (SELECT ... LIMIT 1) FOR UPDATE`.
    LockByKey "lock_by_key" "the rows are chosen first and locked by their keys";
    /// A lock with an order and a limit is taken of every row that is read to find the page.
    LockRead "lock_read" "unless an index gives the order, every row that the filter finds is locked, not those of the page only";
    /// A lock of the rows of one table is one of those that are joined to them, too.
    LockJoined "lock_joined" "the rows of the joined tables are locked, too";
    /// `CAST(a AS integer)` of a number that is not whole becomes `CAST(TRUNC(a) AS integer)`.
    CastTruncate "cast_truncate" "a CAST to a whole number rounds here, so that it is cut first";
    /// `CAST('12.7' AS integer)` as it is, where that is a column's text.
    TextNumber "text_number" "a text is read as far as it is a number, and as 0 if it does not begin with one; elsewhere that is an error";
    /// `CAST(a AS boolean)` becomes `CASE LOWER(TRIM(a)) WHEN 'true' THEN 1 WHEN 'false' THEN 0 .. END`.
    TextTruth "text_truth" "the words for true and false are looked for; another text gives NULL";
    /// `CAST(a AS timestamp)` becomes `STRFTIME('%Y-%m-%d %H:%M:%f', a)`.
    TextTime "text_time" "a text that is no date or time gives NULL";
    /// `CAST(a AS real)` as it is.
    SingleDouble "single_double" "there is one type of floats, of 64 bits: the value is not rounded to 32";
    /// `SET qty = price` becomes `SET qty = CAST(TRUNC(price) AS integer)`.
    AssignmentCast "assignment_cast" "a column would take a value of another type in the engine's own way, or not at all: it is cast";
    /// `SET at = created` becomes `SET at = DATE_TRUNC('second', created)`.
    SecondsCut "seconds_cut" "a computed time is cut to the digits that its column's definition says: the engine would round it, or keep all";
    /// `SET price = price / 3` becomes `SET price = ROUND(price / 3, 2)`.
    ScaleRounded "scale_rounded" "a column keeps all digits here: what is computed is rounded to those that its definition says";
    /// `a / b` of whole numbers becomes `TRUNC(a / b)`.
    DivisionTruncate "division_truncate" "the quotient of whole numbers is cut toward zero";
    /// `a / b` of decimals becomes `CAST(a AS REAL) / b`.
    DivisionReal "division_real" "a decimal that is whole is stored as a whole number, whose quotient is cut";
    /// `a / b` becomes `a / NULLIF(b, 0)`.
    DivisionNullIf "division_null_if" "division by zero gives NULL on every engine";
    /// `amount / qty` becomes `CAST(amount AS DECIMAL(65, 30)) / qty`.
    DivisionWide "division_wide" "a quotient has four digits more than its dividend here, so that is given all that there are";
    /// `a % b` becomes `MOD(a, b)` or what the engine has for it.
    ModuloFunction "modulo_function" "the remainder is a function here";
    /// `~a` becomes `-1 - a`.
    BitNotArithmetic "bit_not_arithmetic" "the complement of a whole number is one less than its opposite";
    /// `a || b` becomes `CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE a || b END`.
    ConcatNull "concat_null" "the engine takes NULL for an empty text";
    /// `a + b` of texts becomes `CAST(a AS text) + b`.
    ConcatCast "concat_cast" "a concatenation takes texts only";
    /// `CAST(a AS text)` of a decimal becomes `PRINTF('%.15g', a)`.
    DecimalText "decimal_text" "a decimal is a double here: its text has 15 digits, and an exponent below 0.0001 and from 1e15 on";
    /// `a = ''` becomes `a IS NULL`.
    EmptyIsNull "empty_is_null" "the engine stores NULL for the empty text";
    /// SKIP LOCKED becomes READPAST.
    ReadPast "read_past" "READPAST is an error in a transaction that is SERIALIZABLE or READ UNCOMMITTED: begin it with READ COMMITTED or REPEATABLE READ";
    /// `a LIKE '%[%'` becomes `a LIKE '%\[%' ESCAPE '\'`.
    BracketEscape "bracket_escape" "a bracket opens a class of characters here";
    /// `LEFT(a, LENGTH(b)) = b` becomes `LEFT(a, LENGTH(b)) + '.' = b + '.'`.
    BlanksEnded "blanks_ended" "`=` ignores blanks at the end of a text; so both sides end with a point";
    /// `LEFT(a, LENGTH(b)) = b` becomes `LOCATE(b, a) = 1`.
    BlanksCounted "blanks_counted" "`=` ignores blanks at the end of a text in most collations: the place of what is found counts, or its length";
    /// `a = 'x'` becomes `a = 'x' AND a COLLATE "C" = 'x'`.
    ExactText "exact_text" "texts are compared by their code points: an index serves an equality, and orders and groups only where its collation is one by code points";
    /// `a = 'x'` as it is, beside a column of another collation than one by code points.
    DatabaseText "database_text" "the column's collation says which texts are alike and how they are sorted, which other engines may not; the mode `exact` compares them by code points";
    /// `ON CONFLICT (a)` as it is, beside such a column.
    KeyText "key_text" "which rows collide is said by the collation of the unique key: texts that are not the same may";
    /// `a UNION b` as it is, on an engine whose `=` ignores blanks at the end of a text.
    BlanksAlike "blanks_alike" "rows whose texts differ in blanks at their ends only are one here";
    /// `a LIKE 'x%'` becomes `a GLOB 'x*'`.
    LikeToGlob "like_to_glob" "LIKE ignores case whatever the collation is; GLOB never does, not even where the column's collation does";
    /// `a LIKE b` becomes `a LIKE REGEXP_REPLACE(b, ..)`, without the escapes before what needs none.
    LikeEscapes "like_escapes" "an escape stands before a wildcard or itself only here; others are taken out of a computed pattern";
    /// `a ~ 'x$'` becomes `a REGEXP 'x\z'`.
    RegexEnd "regex_end" "`$` also matches before a line break at the end here, `\\z` does not";
    /// `a ~ 'x.y'` becomes `REGEXP_LIKE(a, 'x[\s\S]y')`.
    RegexAny "regex_any" "`.` is not each single character here, as at the end of a line; a class is";
    /// `a ~ '(?:x)+'` becomes `REGEXP_LIKE(a, '(x)+')`.
    RegexGroup "regex_group" "every group is captured here; references are counted anew";
    /// `a ~ '[\w\]]'` becomes `REGEXP_LIKE(a, '[]0-9A-Z_a-z]')`.
    RegexClass "regex_class" "a backslash is an ordinary character in a class here: what it would escape stands at a place where it means itself";
    /// `a ~ '\bx'` becomes `a ~ '(?<![0-9A-Z_a-z])x'`, or `REGEXP_LIKE(a, '(^|[^0-9A-Z_a-z])x')`.
    RegexBorder "regex_border" "the border of a word is written out, as `\\b` is none here, or one of other letters as well";
    /// `a ~ '\d'` becomes `a ~ '[0-9]'`, `a ~ '(?i)x'` becomes `a ~ '[Xx]'`.
    RegexAscii "regex_ascii" "classes with a name are those of ASCII, and case is that of single characters: written out, as engines know other letters";
    /// `a ~ b` stays as it is.
    RegexComputed "regex_computed" "a computed pattern is read by the engine in its own way: only one that is given as a text means the same everywhere";
    /// `a ILIKE 'x%'` becomes `LOWER(a) LIKE LOWER('x%')`.
    ILikeLower "ilike_lower" "both sides are brought to lower case";
    /// `a ILIKE 'x%'` becomes `a LIKE 'x%'` where LIKE ignores case.
    ILikeIsLike "ilike_is_like" "LIKE ignores the case of ASCII letters here";
    /// `a IS DISTINCT FROM 5` becomes `a <> 5 OR a IS NULL`, `a IS DISTINCT FROM b` becomes
    /// `NOT EXISTS (SELECT a INTERSECT SELECT b)` or `CASE WHEN a = b OR a IS NULL AND b IS NULL THEN 0 ELSE 1 END = 1`.
    NullSafeCase "null_safe_case" "equality with NULL is written out";
    /// `INSERT ... VALUES (..), (..)` becomes `INSERT ... SELECT .. UNION ALL SELECT ..`.
    InsertSelect "insert_select" "several rows are inserted by a query";
    /// `INSERT ... ON CONFLICT (key)` becomes `INSERT ... ON DUPLICATE KEY UPDATE`.
    UpsertDuplicateKey "upsert_duplicate_key" "a unique key of the table that the catalog does not know counts as the one that is named";
    /// `TRIM(a, 'xy')` becomes `REGEXP_REPLACE(a, '\A[xy]+|[xy]+\z', '')`.
    TrimCharacters "trim_characters" "a set of characters is trimmed by a regular expression; a single one by TRIM";
    /// `2024-01-31 10:20:30 +02:00` is bound as `2024-01-31 08:20:30`.
    OffsetUtc "offset_utc" "a date and time with an offset is one in UTC here, in parameters as in columns";
    /// `JSON_ARRAY(paid)` becomes `JSON_ARRAY(paid = 1)`.
    JsonTruth "json_truth" "a truth value is a number here; only a predicate is true or false in JSON";
    /// `JSON_ARRAY(paid)` becomes `JSON_ARRAY(CASE WHEN paid = 1 THEN 'true' ELSE 'false' END FORMAT JSON)`.
    JsonTruthText "json_truth_text" "a truth value is a number here; in JSON the words stand for it";
    /// `GROUP_CONCAT` as it is.
    GroupConcatLimit "group_concat_limit" "what is longer than group_concat_max_len is cut (MySQL: 1,024 bytes unless it is set; MariaDB: 1 MiB): raise it when connecting";
    /// MariaDB's `JSON_ARRAYAGG` as it is.
    JsonArrayAggLimit "json_array_agg_limit" "an array of more than group_concat_max_len bytes (1 MiB unless it is set) lacks its last items: raise it when connecting";
    /// `LISTAGG` as it is.
    ListAggLimit "list_agg_limit" "a result of over 4,000 bytes is an error here";
    /// Oracle's `LPAD` and `RPAD`, with a text beside them.
    PadLimit "pad_limit" "a result of over 4,000 bytes is an error here";
    /// `REPLACE(RPAD(' ', n), ' ', a)` and `RPAD(' ', n)` for copies.
    RepeatLimit "repeat_limit" "a result of over 4,000 bytes is cut here, or an error";
    /// Oracle's `SYS_GUID()` for a random UUID.
    GuidGuessed "guid_guessed" "the engine makes it of a counter: it is unique, but can be guessed from another";
    /// Oracle's `JSON_VALUE` as it is.
    JsonValueLimit "json_value_limit" "a text of over 4,000 bytes at the path gives NULL here";
    /// `JSON_VALUE(a, '$.b[0]')` becomes `CASE WHEN JSON_TYPE(JSON_EXTRACT(a, '$.b')) = 'ARRAY' THEN JSON_VALUE(a, '$.b[0]') END`.
    JsonIndexGuard "json_index_guard" "an index finds what is no array, too; so it is asked first whether it is one";
    /// `INSERT ... ON CONFLICT` becomes `MERGE`.
    UpsertMerge "upsert_merge" "an upsert is a MERGE";
    /// `DELETE ... WHERE id IN (SELECT id FROM same)` gets a derived table around the inner one.
    SelfSubqueryDerived "self_subquery_derived" "a subquery over the written table is materialized first";
    /// `GREATEST(a, b)` becomes `CASE WHEN a >= b THEN a WHEN b > a THEN b END`.
    GreatestCase "greatest_case" "the greatest or least is found by CASE";
    /// `(a, b) IN ((1, 2), (3, 4))` becomes `(a, b) IN (VALUES (1, 2), (3, 4))`.
    TupleInValues "tuple_in_values" "a list of rows needs the word VALUES";
    /// `LEFT(a, n)` becomes `LEFT(a, CASE WHEN n < 0 THEN 0 ELSE n END)`.
    LengthFromZero "length_from_zero" "the engine does something else about a negative length";
    /// `day = time` becomes `CAST(day AS timestamp) = time`.
    DateKinds "date_kinds" "dates of different kinds are brought to one: a date is its midnight, a time without an offset one at UTC";
    /// `a > b` of UUIDs becomes `LOWER(CAST(a AS nvarchar(36))) > LOWER(CAST(b AS nvarchar(36)))`.
    GuidText "guid_text" "the engine sorts a UUID by its last bytes first: its text is sorted by, and no index serves that";
    /// `COALESCE((SELECT ...), a)` becomes `ISNULL((SELECT ...), a)`.
    CoalesceIsNull "coalesce_is_null" "the engine would look for the rows of the subquery twice, and maybe find others";
    /// `EXTRACT(HOUR FROM a)` becomes `EXTRACT(HOUR FROM TIMEZONE('UTC', a))`.
    AtUtc "at_utc" "a time with an offset is an instant, whose parts are those at UTC, whatever the session's zone is";
    /// `BOOL_AND(p)` becomes `MIN(CASE WHEN p THEN 1 ELSE 0 END)`.
    BoolAggregate "bool_aggregate" "truth values are aggregated as 1 and 0";
    /// `CONCAT_WS(s, a, b)` is written out with CASE.
    ConcatWsCase "concat_ws_case" "the separator is put by CASE";
    /// What is computed of decimals, or cast to one, is rounded or cut.
    DecimalDigits "decimal_digits" "the engine gives it 38 digits, and of those after the point as many as are left: often 6, sometimes fewer; the others are cut";
    /// `JSON_VALUE` of a text of more than 4,000 characters.
    JsonTextLength "json_text_length" "a text of more than 4,000 characters is NULL here";
    /// `Format(a, 'd.M.')` becomes `DAY(a) || '.' || MONTH(a) || '.'`.
    FormatParts "format_parts" "the engine's own patterns lack a token: the text is put together from its parts";
    /// A common table expression goes where the engine wants it in a write.
    WriteWith "write_with" "the WITH clause stands in the query that uses it";
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
