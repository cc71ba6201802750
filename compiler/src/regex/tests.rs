use super::{PatternSpelling, parse, settled, write};

const PERL: PatternSpelling = PatternSpelling {
    end: "\\z",
    any: ".",
    plain_group: true,
    class_escape: true,
    look: true,
    border: false,
    test: true,
};
const POSIX: PatternSpelling = PatternSpelling {
    end: "$",
    any: ".",
    plain_group: false,
    class_escape: false,
    look: false,
    border: false,
    test: true,
};

fn written(pattern: &str, spelling: &PatternSpelling) -> String {
    let read = parse(pattern).unwrap_or_else(|fault| panic!("{pattern}: {fault:?}"));
    write(&read, spelling).unwrap_or_else(|| "none".to_owned())
}

#[test]
fn each_engine_gets_its_spelling() {
    for (pattern, perl, posix) in [
        ("^ab$", r"^ab\z", "^ab$"),
        (r"\Aab\z", r"^ab\z", "^ab$"),
        (r"a\$", r"a\$", r"a\$"),
        (r"a\\$", r"a\\\z", r"a\\$"),
        ("[$]$", r"[$]\z", "[$]$"),
        ("[]$]$", r"[$\]]\z", "[]$]$"),
        ("[^]$]|$", r"[^$\]]|\z", "[^]$]|$"),
        (r"[\]$]$", r"[$\]]\z", "[]$]$"),
        ("(a$|b$)", r"(a\z|b\z)", "(a$|b$)"),
        (r"\d+\.\d{2}", r"[0-9]+\.[0-9]{2}", r"[0-9]+\.[0-9]{2}"),
        (r"\w\W", "[0-9A-Z_a-z][^0-9A-Z_a-z]", "[0-9A-Z_a-z][^0-9A-Z_a-z]"),
        (r"[\w.-]+@", r"[\-.0-9A-Z_a-z]+@", "[.0-9A-Z_a-z-]+@"),
        (r"[^\s,]", "[^\t-\r ,]", "[^\t-\r ,]"),
        (r"[\s\S]", ".", "."),
        ("[[:alpha:]$]+", "[$A-Za-z]+", "[$A-Za-z]+"),
        (r"[\^\-]", r"[\-\^]", "[-^]"),
        (r"[\[\\\]^-]", r"[\-\[-\^]", r"[]\[^-]"),
        (r"\t\x41\u0042\x{1F600}", "\tAB\u{1F600}", "\tAB\u{1F600}"),
        ("(?i)ab-É", "[Aa][Bb]-[Éé]", "[Aa][Bb]-[Éé]"),
        ("a(?i:b)c", "a(?:[Bb])c", "a([Bb])c"),
        ("(?i)[^a-c]", "[^A-Ca-c]", "[^A-Ca-c]"),
        ("(?-s)a.", "a[^\n]", "a[^\n]"),
        ("(?:a|b)(c)\\1", "(?:a|b)(c)\\1", "(a|b)(c)\\2"),
        (r"\bcat\b", "(?<![0-9A-Z_a-z])cat(?![0-9A-Z_a-z])", "(^|[^0-9A-Z_a-z])cat([^0-9A-Z_a-z]|$)"),
        (r"a\b-", "a(?<=[0-9A-Z_a-z])-", "none"),
        (r".\b.", ".(?:(?<=[0-9A-Z_a-z])(?![0-9A-Z_a-z])|(?<![0-9A-Z_a-z])(?=[0-9A-Z_a-z])).", "none"),
        (r"a\Bb", "a(?<=[0-9A-Z_a-z])b", "none"),
        ("a{2}b{2,}c{2,3}d??", "a{2}b{2,}c{2,3}d??", "a{2}b{2,}c{2,3}d??"),
        ("a{3}?", "a{3}", "a{3}"),
        ("a{x}", r"a\{x\}", r"a\{x\}"),
        ("(?=a)(?<!b)c", "(?=a)(?<!b)c", "(?=a)(?<!b)c"),
        (r"\/\-é\é", r"\/\-éé", r"\/\-éé"),
    ] {
        assert_eq!((written(pattern, &PERL).as_str(), written(pattern, &POSIX).as_str()), (perl, posix), "{pattern}");
    }
}

#[test]
fn what_engines_read_differently_is_an_error() {
    for pattern in [
        "",
        "a|",
        "()",
        "(a",
        "a)",
        "*a",
        "a**",
        "a++",
        "a{2}{3}",
        "a{3,2}",
        "a{256}",
        "a{,2}",
        "{2}",
        "^*",
        r"\Z",
        r"\h",
        r"\p{L}",
        r"\k<a>",
        r"\Qa",
        "\\",
        r"\8",
        r"(a)\2",
        r"(a)|\1",
        r"(a)?\1",
        r"(a)\10",
        r"(?i)(a)\1",
        "(?<n>a)",
        "(?P<n>a)",
        "(?>a)",
        "(?#a)",
        "(?m)a",
        "(?x)a",
        "(?<=a+)b",
        "[a",
        "[b-a]",
        r"[a-\d]",
        "[[.a.]]",
        "[[=a=]]",
        "[[:<:]]",
        "[[:blah:]]",
        "[a-c-e]",
        r"[^\s\S]",
        r"\x4",
        r"\x{110000}",
        r"\x00",
        r"\u00",
        "a\0b",
        "(a{255}){255}",
        r"(?=(a)\1)",
        "***:a",
    ] {
        assert!(parse(pattern).is_err(), "{pattern}: {:?}", parse(pattern));
    }
    let deep = "(".repeat(10_000);
    assert!(parse(&deep).is_err());
}

#[test]
fn an_extent_is_settled_or_not() {
    for (pattern, is_settled) in [
        ("[0-9]+", true),
        ("a", true),
        ("a|b", true),
        ("a|ab", false),
        ("ab|a", true),
        ("ab|ac", true),
        ("(jpg|jpeg|png)$", true),
        ("[a-z]+@[a-z.]+", true),
        ("a*(ab)?b", false),
        ("a*", false),
        ("^", false),
        ("\".*?\"", true),
        ("\".*\"", true),
        ("\"[^\"]*\"", true),
        ("<.+?>", true),
        ("<.+?>x*", false),
        ("x*?y+", false),
        ("a+?", true),
        (r"(\w)\1", true),
        (r"(a+)\1", false),
        (r"\bfoo\b", true),
        ("(a|b)+c", true),
        ("[0-9]{3}-[0-9]{4}", true),
        ("[0-9]{2,4}", true),
        ("-?[0-9]+([.][0-9]+)?", true),
    ] {
        let read = parse(pattern).unwrap();
        assert_eq!(settled(&read).is_ok(), is_settled, "{pattern}: {:?}", settled(&read));
    }
    for (pattern, why) in [
        ("<.+?>x*", "it has repetitions that take much and ones that take little, which engines weigh differently"),
        (
            "a*(ab)?b",
            "it can match more and less at the same place, of which engines take the longest or the first: put the longer \
             alternative by itself, or let no part begin with what the one before may go on with",
        ),
        ("a*", "it also matches the empty text, whose matches engines count and replace in different ways"),
    ] {
        assert_eq!(settled(&parse(pattern).unwrap()), Err(why), "{pattern}");
    }
}

#[test]
fn a_fault_says_what_engines_read_differently() {
    for (pattern, why) in [
        ("a)", "a `)` has no `(`; a plain one is `\\)`"),
        ("*a", "there is nothing that it could repeat; a plain one has a `\\` in front"),
        ("{2}", "there is nothing that it could repeat; a plain one is `\\{`"),
        ("a\0b", "no text has a character of code 0"),
        ("(?<=a+)b", "what is looked for behind has to have a fixed length"),
        ("(?P<n>a)", "of the groups that begin with `(?`, there are"),
        ("^*", "what matches a place and no character is not repeated"),
        ("a{3,2}", "a number of repetitions is `{n}`, `{n,}` or `{n,m}` with numbers from 1 to 255"),
        (r"\Z", "is the end on one engine, and also before a line break there on others"),
        (r"(a)\10", "is read as a part of its number by some engines: write `[0]`"),
        (r"(?i)(a)\1", "engines disagree whether the case of what a group has matched counts"),
        (r"(?=(a)\1)", "a look ahead or behind has no reference to a group on every engine"),
        ("\\", "there is nothing behind the last"),
        (r"\x4", "the code of a character is"),
        ("[a", "a `[` has no `]`; a plain one is"),
        ("[b-a]", "a range in a class goes from a character to a later one"),
        ("[a-c-e]", "a `-` behind a range is read in different ways: write it last"),
        (r"[^\s\S]", "no character is in the class"),
        ("[[:blah:]]", "of the named classes, there are alpha, digit, alnum"),
        (r"(a)|\1", "a reference is to a group in front of it that certainly has matched"),
        (r"(?i)[\x{1}-\x{1000}]", "the class is too large to be one that ignores case"),
        ("(a{255}){255}", "with its repetitions written out, it has over 1,000 characters"),
    ] {
        let found = parse(pattern).err().map_or("none", |fault| fault.why);
        assert!(found.contains(why), "{pattern}: {found}");
    }
    let deep = parse(&"(".repeat(10_000)).err().map_or("none", |fault| fault.why);
    assert_eq!(deep, "its groups are nested too deep");
}
