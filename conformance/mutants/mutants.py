#!/usr/bin/env python3
"""Mutation testing: how much of what could be wrong in the code do the quick tests notice?

    conformance/mutants/mutants.py [--seed N] [--count N] [--area NAME]... [--missed] [--survivors]

cargo-mutants (`cargo install cargo-mutants`) lists the mutants. By the seed a sample is drawn of them, in which every area
has its share. A build for each mutant would take most of the time, so all of the sample are compiled into one copy of the
workspace, each beside the function that it changes, and an environment variable chooses which one is awake:

    fn f() -> T { if /* MUTANT is 7 */ { the changed body } else { the body } }

Each test binary first runs without a mutant. It tells how long that takes, and which mutants it comes by; only these are
tried with it, the quickest binary first, until one fails. A mutant that does not compile is not viable; that is remembered.
In a `const fn`, outside of functions, in functions that return `impl Trait` and in macros there is no place for the choice:
those are built one by one.

    --seed N       another sample; 1 if not given
    --count N      how many mutants are drawn, 200 if not given
    --area NAME    only of this area; several are allowed
    --missed       tries the mutants again that the last run missed, as the code and the tests are now, and reports on all
    --survivors    prints those that the last run missed and survivors.txt does not name, and does nothing else

Servers are used where ISOGLOSS_POSTGRES_URL and ISOGLOSS_MYSQL_URL name them. What is made lies in target/mutants. The exit
code is 1 if less than 92 % of the viable mutants were caught; a test that takes too long with a mutant has caught it.
"""

import argparse
import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

BAR = 0.92

# Where the mutants are, by the start of the file's path; the first that fits counts. What has a `/` more than the start of an
# area with `*` is not in it.
AREAS = {
    "resolve": "compiler/src/resolve/",
    "legalize": "compiler/src/legalize/",
    "render": "compiler/src/render/",
    "schema": "compiler/src/json/schema/",
    "json": "compiler/src/json/",
    "walk": "compiler/src/walk/",
    "scope": "compiler/src/scope/",
    "kept": "compiler/src/kept/",
    "postgres": "backends/postgres/src/*",
    "mysql": "backends/mysql/src/*",
    "sqlite": "backends/sqlite/src/*",
    "sqlserver": "backends/sqlserver/src/*",
    "oracle": "backends/oracle/src/*",
    "ddl": "backends/driver/src/ddl/",
    "introspect": "backends/driver/src/introspect/",
    "driver": "backends/driver/src/",
    "session": "orm/src/session/",
    "dao": "orm/src/dao/",
    "context": "orm/src/context/",
    "service": "orm/src/service/",
    "web": "orm/web/src/",
    "derive": "orm/derive/src/",
    "migrate": "migrate/src/",
    "generate": "generate/src/",
    "cli": "cli/src/",
}

# It runs while others are built, so that no variable can choose a mutant when they run.
MACROS = "derive"

# The test binaries besides those of the crates' own unit tests, by package. The unit tests of conformance itself are not about
# what is mutated.
TESTS = {
    "isogloss-cases": "snapshots",
    "isogloss-compiler": "it",
    "isogloss-driver": "",
    "isogloss-postgres": "it",
    "isogloss-mysql": "it",
    "isogloss-sqlite": "it",
    "isogloss-sqlserver": "it",
    "isogloss-oracle": "it",
    "isogloss": "it",
    "isogloss-derive": "",
    "isogloss-web": "it",
    "isogloss-migrate": "it killed",
    "isogloss-generate": "",
    "isogloss-cli": "it",
    "isogloss-conformance": "it live",
}

# They are asked last, and only about what the others miss.
SLOW = {"compiler unit", "conformance it", "conformance live", "migrate killed", "orm it", "web it"}

# Of a binary, what repeats the rest of it, and what needs judges or servers of its own.
SKIPPED = {
    "conformance it": [f"--skip={module}::" for module in ("architecture", "engines", "judges", "runner")],
    "conformance live": ["--skip=brownfield known", "--skip=tpch"],
    "mysql it": [f"--skip={module}::" for module in ("cancel", "endings", "faults", "late", "rests", "silence")],
    "postgres it": [f"--skip={module}::" for module in ("pooled", "pooled_sessions", "shared", "streams", "tls")],
    "sqlite it": [f"--skip={module}::" for module in ("blocking", "waits")],
    "sqlserver it": ["--skip=connect::"],
    "orm it": ["--skip=ui::"],
}

FEATURES = "isogloss-compiler/definitions,isogloss-compiler/proptest,isogloss-compiler/sample"

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "target" / "mutants"
TREE = OUT / "tree"
UNVIABLE = OUT / "unviable.json"
RESULTS = OUT / "results.json"
SURVIVORS = Path(__file__).with_name("survivors.txt")

# The packages whose tests take the servers. The others have SQLite, which is quicker and reaches the code as well.
ON_SERVERS = ("postgres", "mysql")

# The same random trees each time; a snapshot that differs fails and is not written.
ENV = os.environ | {
    "CARGO_PROFILE_DEV_DEBUG": "0",
    # Not the workspace's own: Cargo would take what is built of the copy for what the workspace would build.
    "CARGO_TARGET_DIR": str(OUT / "build"),
    "CARGO_TERM_COLOR": "never",
    "INSTA_UPDATE": "no",
    "ISOGLOSS_SEED": "1",
    "PROPTEST_CASES": "64",
}


# ---- The sample -----------------------------------------------------------------------------------------------------


def area_of(file):
    for area, start in AREAS.items():
        rest = file.removeprefix(start.removesuffix("*"))
        if rest != file and not (start.endswith("*") and "/" in rest):
            return area
    return None


def all_mutants():
    """Each with a key that does not change when lines above it do."""
    found = subprocess.run(["cargo", "mutants", "--workspace", "--list", "--json"], cwd=ROOT, check=True, capture_output=True)
    seen, mutants = Counter(), []
    for mutant in json.loads(found.stdout):
        file, what = mutant["file"], mutant["name"].split(": ", 1)[1]
        seen[file, what] += 1
        mutant["area"] = area_of(file)
        # An alias of `Result`, which cargo-mutants cannot know.
        mutant["replacement"] = mutant["replacement"].replace("OrmResult::from(", "Ok(")
        mutant["key"] = f"{file}: {what}" + (f" ({seen[file, what]})" if seen[file, what] > 1 else "")
        if mutant["area"]:
            mutants.append(mutant)
    return mutants


def draw(mutants, seed, count):
    """From each area as many as the square root of its size says: small ones are seen too, large ones more often."""
    areas = defaultdict(list)
    for mutant in mutants:
        areas[mutant["area"]].append(mutant)
    whole = sum(len(of_area) ** 0.5 for of_area in areas.values())
    sample, reached = [], 0.0
    for of_area in areas.values():
        reached += count * len(of_area) ** 0.5 / whole
        of_area.sort(key=lambda mutant: hashlib.sha256(f"{seed} {mutant['key']}".encode()).digest())
        sample += of_area[: round(reached) - len(sample)]
    return sample


# ---- The copy with the mutants --------------------------------------------------------------------------------------


def offset(lines, place):
    return sum(map(len, lines[: place["line"] - 1])) + place["column"] - 1


def after_attributes(text, at):
    """Where the function itself begins: comments and attributes have braces, too."""
    while True:
        if text[at].isspace():
            at += 1
        elif text.startswith("//", at):
            at = text.index("\n", at)
        elif text.startswith("#[", at):
            depth = 0
            while depth or text[at] in "#[":
                depth += (text[at] == "[") - (text[at] == "]")
                at += 1
        else:
            return at


def locate(mutant, text):
    """Of a mutant: the positions of what it replaces, and of the body of its function, in characters."""
    lines = text.splitlines(keepends=True)
    mutant["at"] = offset(lines, mutant["span"]["start"]), offset(lines, mutant["span"]["end"])
    mutant["body"] = None
    if mutant["function"]:
        span = mutant["function"]["span"]
        start, end = offset(lines, span["start"]), offset(lines, span["end"])
        start = after_attributes(text, start)
        opened = text.index("{", start)
        signature = text[start:opened].split()
        has_place = "const" not in signature and "impl" not in mutant["function"]["return_type"] and text[end - 1] == "}"
        if has_place and mutant["area"] != MACROS:
            mutant["body"] = opened + 1, end - 1


def changed(text, mutant, start, end):
    """The part of the text from start to end, with the mutant in it."""
    at = mutant["at"]
    return text[start : at[0]] + mutant["replacement"] + " " + text[at[1] : end]


CHOICE = (
    "{{ static ON: ::std::sync::LazyLock<bool> = ::std::sync::LazyLock::new(|| {{"
    ' if let Some(folder) = ::std::env::var_os("MUTANTS_REACHED") {{'
    ' let _ = ::std::fs::write(::std::path::Path::new(&folder).join("{id}"), ""); }}'
    ' ::std::env::var_os("MUTANT").is_some_and(|id| id == "{id}") }}); *ON }}'
)


def with_choices(text, mutants):
    """The file with a choice in each mutant's function. Each mutant's `lines` are those of its changed body then."""
    bodies = defaultdict(list)
    for mutant in mutants:
        bodies[mutant["body"]].append(mutant)
    out, position, line = [], 0, 1

    def put(part):
        nonlocal line
        out.append(part)
        line += part.count("\n")

    for (start, end), of_body in sorted(bodies.items()):
        put(text[position:start])
        for mutant in of_body:
            put(f"if {CHOICE.format(id=mutant['id'])} {{\n")
            first = line
            put(changed(text, mutant, start, end))
            mutant["lines"] = first, line
            put("\n} else ")
        put("{\n" + text[start:end] + "\n}")
        position = end
    put(text[position:])
    return "".join(out)


def write(file, text):
    """Only what differs, so that Cargo builds only that."""
    path = TREE / file
    data = text if isinstance(text, bytes) else text.encode()
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def sync(mutants):
    """Makes the tree a copy of the workspace with the mutants in it, and nothing else."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True
    )
    files = {file for file in listed.stdout.decode().split("\0") if file and (ROOT / file).is_file()}
    by_file = defaultdict(list)
    for mutant in mutants:
        by_file[mutant["file"]].append(mutant)
    for file in files:
        if file in by_file:
            write(file, with_choices((ROOT / file).read_text(), by_file[file]))
        else:
            write(file, (ROOT / file).read_bytes())
    for path in TREE.rglob("*"):
        if path.is_file() and str(path.relative_to(TREE)) not in files:
            path.unlink()


def without_nested(mutants):
    """A function inside of another one, both with mutants: those of the inner one are built one by one."""
    for mutant in mutants:
        for other in mutants:
            if mutant["body"] and other["body"] and mutant["file"] == other["file"] and mutant["body"] != other["body"]:
                if other["body"][0] < mutant["body"][0] and mutant["body"][1] < other["body"][1]:
                    mutant["body"] = None


# ---- Building and running -------------------------------------------------------------------------------------------


def build():
    """The test binaries: name to (executable, folder of the package). Or, if it did not compile, the errors' places."""
    command = ["cargo", "test", "--no-run", "--message-format=json", "--features", FEATURES, "--lib"]
    for package in TESTS:
        command += ["-p", package]
    for test in sorted({test for tests in TESTS.values() for test in tests.split()}):
        command += ["--test", test]
    made = subprocess.run(command, cwd=TREE, env=ENV, capture_output=True, text=True)
    binaries, errors = {}, []
    for line in made.stdout.splitlines():
        message = json.loads(line)
        if message["reason"] == "compiler-message" and message["message"]["level"] == "error":
            errors.append(message["message"] | {"crate": message["target"]["name"]})
        if message["reason"] == "compiler-artifact" and message["executable"] and message["profile"]["test"]:
            folder = Path(message["manifest_path"]).parent
            is_lib = bool({"lib", "proc-macro"} & set(message["target"]["kind"]))
            name = f"{folder.name} {'unit' if is_lib else message['target']['name']}"
            if is_lib and folder.name != "conformance" or message["target"]["name"] in tests_of(folder):
                binaries[name] = message["executable"], folder
    if made.returncode and not errors:
        sys.exit(f"it does not build:\n{made.stderr[-4000:]}")
    return binaries, errors


def tests_of(folder):
    name = next(line for line in (folder / "Cargo.toml").read_text().splitlines() if line.startswith("name = "))
    return TESTS.get(name.split('"')[1], "").split()


def build_all(mutants):
    """Builds with as many of the mutants as compile. The others' state says why not."""
    known = set(json.loads(UNVIABLE.read_text())) if UNVIABLE.is_file() else set()
    for mutant in mutants:
        mutant["state"] = "unviable" if mutant["diff"] in known else ""
    left = [mutant for mutant in mutants if not mutant["state"]]
    while True:
        sync(left)
        binaries, errors = build()
        if not errors:
            return binaries, left
        for error in errors:
            for span in error["spans"]:
                blamed = [m for m in left if m["file"] == span["file_name"] and in_lines(m, span)]
                for mutant in blamed if span["is_primary"] else []:
                    mutant["state"] = "unviable"
        before, left = left, [mutant for mutant in left if not mutant["state"]]
        for mutant in before:
            if mutant["state"]:
                known.add(mutant["diff"])
                print(line_of(mutant), flush=True)
        UNVIABLE.write_text(json.dumps(sorted(known)))
        if len(before) == len(left):
            sys.exit("it does not build:\n" + "\n".join(error["rendered"] for error in errors))


def in_lines(mutant, span):
    return mutant["lines"][0] <= span["line_end"] and span["line_start"] <= mutant["lines"][1]


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


def run(name, binary, mutant, seconds, more=None):
    """Whether it passes: True, False, or None if it took too long. The output is kept."""
    executable, folder = binary
    env = ENV | {"CARGO_MANIFEST_DIR": str(folder), "MUTANT": str(mutant)} | (more or {})
    if folder.name not in ON_SERVERS:
        env = {name: value for name, value in env.items() if name not in ("ISOGLOSS_POSTGRES_URL", "ISOGLOSS_MYSQL_URL")}
    with open(OUT / "output.txt", "w") as output:
        process = subprocess.Popen(
            [executable, *SKIPPED.get(name, [])], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            start_new_session=True, preexec_fn=limit_memory,
        )
        try:
            return process.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            return None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def baseline(binaries):
    """The binaries in the order of the time they take: name, how to run it, seconds, ids of the mutants it comes by."""
    found = []
    for name, binary in sorted(binaries.items()):
        reached = OUT / "reached"
        shutil.rmtree(reached, ignore_errors=True)
        reached.mkdir(parents=True)
        start = time.monotonic()
        passed = run(name, binary, "", 900, {"MUTANTS_REACHED": str(reached)})
        seconds = time.monotonic() - start
        ids = {path.name for path in reached.iterdir()}
        print(f"{seconds:6.1f} s  {len(ids):4} mutants  {name}{'' if passed else '  FAILS without a mutant: left out'}", flush=True)
        if passed:
            found.append((name, binary, seconds, ids))
        else:
            shutil.copy(OUT / "output.txt", OUT / f"failed {name}.txt")
    return sorted(found, key=lambda one: one[2])


def attempt(mutant, tests):
    mutant["state"] = "missed"
    mutant.setdefault("by", "no test comes by it")
    for name, binary, seconds, ids in tests:
        if str(mutant["id"]) not in ids:
            continue
        passed = run(name, binary, mutant["id"], 30 + 5 * seconds)
        if not passed:
            mutant["state"], mutant["by"] = ("timeout" if passed is None else "caught"), name
            restore_regressions()
            break
        mutant["by"] = "no test that comes by it"


def restore_regressions():
    """What proptest wrote when a mutant failed would be tried with the next one, too."""
    for path in TREE.rglob("*.proptest-regressions"):
        original = ROOT / path.relative_to(TREE)
        path.write_bytes(original.read_bytes()) if original.is_file() else path.unlink()


def alone(mutant, tests):
    """Builds the tree with this mutant only, and tries it with all tests."""
    sync([])
    text = (ROOT / mutant["file"]).read_text()
    write(mutant["file"], changed(text, mutant, 0, len(text)))
    binaries, errors = build()
    if errors:
        own = any(error["crate"] == mutant["package"].replace("-", "_") for error in errors)
        mutant["state"], mutant["by"] = ("unviable", "rustc") if own else ("caught", "the build of what uses it")
        return
    # Nothing says which tests come by it.
    attempt(mutant, [(name, binaries[name], seconds, {str(mutant["id"])}) for name, _, seconds, _ in tests])


# ---- What came out --------------------------------------------------------------------------------------------------


def reasons():
    """Of survivors.txt: the mutants that are known not to be caught, with the reason."""
    known, mutants = {}, []
    for line in SURVIVORS.read_text().splitlines() if SURVIVORS.is_file() else []:
        if line.startswith("    "):
            known |= {key: known.get(key, "") + line.strip() + " " for key in mutants}
        elif line and not line.startswith("#"):
            mutants = [line] if not mutants or mutants[-1] in known else [*mutants, line]
    return known


def line_of(mutant):
    where = f"{mutant['file']}:{mutant['span']['start']['line']}"
    return f"{mutant['state']:8}  {where}: {mutant['key'].split(': ', 1)[1]}  ({mutant.get('by', 'rustc')})"


def report(sample):
    known = reasons()
    print("\n| area | drawn | unviable | caught | timeout | missed | of the viable |\n|---|--:|--:|--:|--:|--:|--:|")
    rate = 1.0
    for area in [*AREAS, "all"]:
        of_area = [mutant for mutant in sample if area in (mutant["area"], "all")]
        states = Counter(mutant["state"] for mutant in of_area)
        viable = len(of_area) - states["unviable"]
        rate = (states["caught"] + states["timeout"]) / viable if viable else 1.0
        if of_area:
            counts = " | ".join(str(states[state]) for state in ("unviable", "caught", "timeout", "missed"))
            print(f"| {area} | {len(of_area)} | {counts} | {rate:.1%} |")
    print()
    for mutant in sample:
        if mutant["state"] == "missed":
            print(line_of(mutant))
            print(f"    {known.get(mutant['key'], 'NO REASON is in survivors.txt')}")
    return rate


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--area", action="append", choices=AREAS)
    parser.add_argument("--missed", action="store_true")
    parser.add_argument("--survivors", action="store_true")
    args = parser.parse_args()

    last = json.loads(RESULTS.read_text()) if (args.missed or args.survivors) else []
    missed = {mutant["key"] for mutant in last if mutant["state"] == "missed"}
    if args.survivors:
        for mutant in last:
            if mutant["state"] == "missed" and mutant["key"] not in reasons():
                print(f"{mutant['key']}\n{mutant['diff']}")
        return 0

    mutants = all_mutants()
    sample = [m for m in mutants if m["key"] in missed] if args.missed else draw(mutants, args.seed, args.count)
    sample = [mutant for mutant in sample if not args.area or mutant["area"] in args.area]
    for number, mutant in enumerate(sample):
        mutant["id"], mutant["state"] = number, ""
        locate(mutant, (ROOT / mutant["file"]).read_text())
    without_nested(sample)
    print(f"{len(sample)} of {len(mutants)} mutants", flush=True)

    start = time.monotonic()
    binaries, chosen = build_all([mutant for mutant in sample if mutant["body"]])
    print(f"built after {time.monotonic() - start:.0f} s", flush=True)
    everything = []
    for names in (set(binaries) - SLOW, set(binaries) & SLOW):
        tests = baseline({name: binaries[name] for name in names})
        everything += tests
        left = [mutant for mutant in chosen if mutant["state"] != "caught" and mutant["state"] != "timeout"]
        for number, mutant in enumerate(left):
            attempt(mutant, tests)
            print(f"{number + 1}/{len(left)}  {line_of(mutant)}", flush=True)
        RESULTS.write_text(json.dumps(sample))
    for mutant in sample:
        if not mutant["state"]:
            alone(mutant, everything)
            print(f"alone  {line_of(mutant)}", flush=True)
    print(f"{time.monotonic() - start:.0f} s in all")
    again = {mutant["key"]: mutant for mutant in sample}
    sample = [again.get(mutant["key"], mutant) for mutant in last] or sample
    RESULTS.write_text(json.dumps(sample))
    return 0 if report(sample) >= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
