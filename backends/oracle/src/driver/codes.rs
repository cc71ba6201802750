//! Oracle's error numbers, by their kinds.

use std::ops::RangeInclusive;

use isogloss_driver::ErrorKind::{self, *};

/// The kinds of `ORA` numbers, those of single ones before those of ranges that have them.
const KINDS: &[(ErrorKind, &[RangeInclusive<i32>])] = &[
    // A key that is there; keys that keep an index or a constraint from being made.
    (UniqueViolation, &[1..=1, 1452..=1452, 2299..=2299, 2437..=2437]),
    // CHECK; a view's WITH CHECK OPTION; a row that is of no partition.
    (CheckViolation, &[1402..=1402, 2290..=2290, 2293..=2293, 14400..=14400]),
    // No such parent; there are children; a table or key that others refer to.
    (ForeignKeyViolation, &[2266..=2266, 2273..=2273, 2291..=2292, 2297..=2298, 2449..=2449]),
    // By INSERT; by UPDATE; by a constraint that is made.
    (NotNullViolation, &[1400..=1400, 1407..=1407, 2296..=2296]),
    (Deadlock, &[60..=60, 4020..=4020]),
    // Another transaction was first; what was read is no more, or of another definition; all was rolled back.
    (SerializationFailure, &[1466..=1466, 1555..=1555, 2091..=2092, 8176..=8177]),
    // A savepoint that is gone with its transaction.
    (TransactionFailed, &[1086..=1086]),
    // A lock: at once, after a wait, of DDL, of another database. The limit of a call.
    (Timeout, &[40..=40, 51..=51, 54..=54, 2049..=2049, 3156..=3156, 4021..=4021, 30006..=30006]),
    (Cancelled, &[1013..=1013]),
    // Too many sessions or processes; the login; no server, service or listener.
    (
        Connect,
        &[
            18..=20,
            1017..=1017,
            1034..=1034,
            1045..=1045,
            2391..=2391,
            12154..=12154,
            12170..=12170,
            12505..=12505,
            12514..=12514,
            12516..=12520,
            12528..=12528,
            12541..=12541,
            12543..=12543,
            12545..=12545,
            28000..=28001,
        ],
    ),
    // The session is killed or idle for too long, the server goes down, the line breaks.
    (
        ConnectionLost,
        &[
            28..=28,
            1012..=1012,
            1089..=1090,
            1092..=1092,
            2396..=2396,
            2399..=2399,
            3113..=3114,
            3135..=3135,
            12537..=12537,
            12547..=12547,
            12570..=12571,
            25408..=25408,
        ],
    ),
    // No privilege, none on this table, none to store; what only reads; a policy of rows.
    (Permission, &[1031..=1031, 1456..=1456, 1720..=1720, 1950..=1950, 12081..=12081, 28115..=28115, 41900..=41900]),
    // A standby, open for reading.
    (ReadOnly, &[16000..=16000]),
    // The quota of the user; what an object, a segment, a table, an index, a large object would be extended by.
    (
        StorageFull,
        &[
            257..=257,
            1536..=1536,
            1631..=1632,
            1650..=1659,
            1683..=1683,
            1688..=1688,
            1691..=1692,
            19809..=19809,
            30036..=30036,
        ],
    ),
    // A damaged block; an index that does not agree with its table.
    (Corrupt, &[1578..=1578, 8102..=8102]),
    // Too long, too large, too many digits; an escape or an argument that a function does not take; divided by zero; not all
    // parameters; text that is no number, date, time, hexadecimal number, XML or JSON, in PL/SQL, too.
    (
        BadValue,
        &[
            1006..=1006,
            1008..=1008,
            1025..=1025,
            1401..=1401,
            1406..=1406,
            1411..=1411,
            1424..=1426,
            1428..=1428,
            1438..=1438,
            1455..=1455,
            1457..=1458,
            1460..=1461,
            1465..=1465,
            1476..=1476,
            1479..=1481,
            1488..=1489,
            1722..=1722,
            1800..=1899,
            6502..=6502,
            12704..=12704,
            12899..=12899,
            31011..=31011,
            40441..=40442,
            40456..=40456,
            40462..=40462,
            40470..=40470,
            40478..=40478,
            40480..=40480,
        ],
    ),
    // Words, names (904, 955) and tables (942), sequences, indexes and other objects; quotes; a parameter's name; PL/SQL.
    (
        Syntax,
        &[
            900..=999,
            1036..=1036,
            1418..=1418,
            1430..=1430,
            1490..=1493,
            1700..=1799,
            1900..=2048,
            2140..=2265,
            2267..=2272,
            2274..=2289,
            2420..=2424,
            2443..=2443,
            4043..=4043,
            6550..=6550,
        ],
    ),
];

/// The kind of an `ORA` number.
pub(super) fn kind(code: i32) -> ErrorKind {
    let has = |ranges: &[RangeInclusive<i32>]| ranges.iter().any(|range| range.contains(&code));
    KINDS.iter().find(|(_, ranges)| has(ranges)).map_or(Other, |(kind, _)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers that "SQLSTATE Status Codes" in Oracle's guide to Pro*C/C++ has for the classes of the standard, by state, and
    /// those that it leaves to its own classes (60 to 82) as far as a program tells them apart.
    const DOCUMENTED: &[(&str, &[RangeInclusive<i32>], ErrorKind)] = &[
        ("02000", &[1095..=1095, 1403..=1403], Other),
        ("0A000", &[3000..=3099], Other),
        ("21000", &[1427..=1427], Other),
        ("22001", &[1401..=1401, 1406..=1406], BadValue),
        ("22003", &[1426..=1426, 1438..=1438, 1455..=1455, 1457..=1457], BadValue),
        ("22008", &[1800..=1899], BadValue),
        ("22012", &[1476..=1476], BadValue),
        ("22018", &[1722..=1722, 6502..=6502], BadValue),
        ("22022", &[1411..=1411], BadValue),
        ("22023", &[1025..=1025, 1488..=1488], BadValue),
        ("22024", &[1479..=1480], BadValue),
        ("22025", &[1424..=1425], BadValue),
        ("23000 unique", &[1..=1, 2299..=2299], UniqueViolation),
        ("23000 not null", &[1400..=1400, 1407..=1407, 2296..=2296], NotNullViolation),
        ("23000 check", &[2290..=2290, 2293..=2293], CheckViolation),
        ("23000 foreign key", &[2291..=2292, 2297..=2298], ForeignKeyViolation),
        ("24000", &[1001..=1003, 1410..=1410, 6511..=6511], Other),
        ("25006", &[1456..=1456], Permission),
        ("28000", &[1017..=1017, 1045..=1045, 28000..=28001], Connect),
        ("3B001", &[1086..=1086], TransactionFailed),
        ("40000", &[2091..=2092], SerializationFailure),
        ("40001", &[8177..=8177], SerializationFailure),
        ("42000", &[900..=999, 1490..=1493, 1700..=1719, 1723..=1799, 1900..=1949, 1951..=2048, 2140..=2265], Syntax),
        ("42501", &[1031..=1031], Permission),
        ("44000", &[1402..=1402], CheckViolation),
        ("60000", &[600..=600], Other),
        ("61000 sessions", &[18..=20, 2391..=2391], Connect),
        ("61000 deadlock", &[60..=60, 4020..=4020], Deadlock),
        ("61000 waits", &[51..=51, 54..=54, 4021..=4021], Timeout),
        ("63000", &[3113..=3114, 3135..=3135], ConnectionLost),
        ("65000 text", &[6550..=6550], Syntax),
        ("72000 standby", &[16000..=16000], ReadOnly),
        ("65000 own", &[6503..=6510, 6512..=6549, 20000..=20999], Other),
        ("66000", &[12154..=12154, 12514..=12514, 12541..=12541], Connect),
        ("72000 snapshot", &[1555..=1555, 1466..=1466, 8176..=8176], SerializationFailure),
        ("72000 full", &[1536..=1536, 1650..=1659, 1691..=1692], StorageFull),
        ("72000 damaged", &[1578..=1578, 8102..=8102], Corrupt),
        ("72000 cancelled", &[1013..=1013], Cancelled),
        ("82100", &[4030..=4031], Other),
    ];

    #[test]
    fn each_documented_number_has_its_kind() {
        for (state, ranges, expected) in DOCUMENTED {
            for code in ranges.iter().cloned().flatten() {
                assert_eq!(kind(code), *expected, "{state} {code}");
            }
        }
        // Each kind of a server's is one that some state has.
        for (wanted, _) in KINDS {
            assert!(DOCUMENTED.iter().any(|(.., kind)| kind == wanted), "{wanted:?}");
        }
    }

    #[test]
    fn each_number_is_of_one_kind() {
        for (at, (kind, ranges)) in KINDS.iter().enumerate() {
            for code in ranges.iter().cloned().flatten() {
                let others = KINDS.iter().skip(at + 1).filter(|(_, others)| others.iter().any(|o| o.contains(&code)));
                // A range of names has some numbers of others in it.
                assert!(others.into_iter().all(|(other, _)| *other == Syntax), "{kind:?} {code}");
            }
        }
    }

    #[test]
    fn numbers_that_others_have_in_their_range_are_of_their_kinds() {
        for (code, expected) in [
            (904, Syntax),
            (942, Syntax),
            (955, Syntax),
            (2289, Syntax),
            (1720, Permission),
            (1950, Permission),
            (2266, ForeignKeyViolation),
            (2049, Timeout),
            (12519, Connect),
            (12571, ConnectionLost),
            (40441, BadValue),
            (4068, Other),
        ] {
            assert_eq!(kind(code), expected, "{code}");
        }
    }
}
