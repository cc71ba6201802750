"""Judges T-SQL by Microsoft's own grammar, ScriptDom.

A line of the input is a statement as a JSON string. The answer is a line: null, or a JSON string that says what is wrong.

    judge.py DOTNET SCRIPTDOM [VERSION]

DOTNET is the folder of the .NET runtime, SCRIPTDOM the library; VERSION is a year, 2019 by default. A later year than the
library knows is judged by its last grammar.
"""

import json
import sys
import tempfile
from pathlib import Path

import clr_loader
import pythonnet

GRAMMARS = {2016: "TSql130Parser", 2017: "TSql140Parser", 2019: "TSql150Parser"}
RUNTIME = {"runtimeOptions": {"framework": {"name": "Microsoft.NETCore.App", "version": "3.1.0"}}}


def load(dotnet, scriptdom):
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "runtimeconfig.json")
        config.write_text(json.dumps(RUNTIME))
        pythonnet.set_runtime(clr_loader.get_coreclr(runtime_config=config, dotnet_root=Path(dotnet)))
        import clr
    clr.AddReference(str(Path(scriptdom).resolve().with_suffix("")))
    from Microsoft.SqlServer.TransactSql import ScriptDom

    return ScriptDom


def verdict(parser, reader, text):
    tree, errors = parser.Parse(reader(text), None)
    if errors.Count:
        first = errors[0]
        return f"{first.Message} (error {first.Number}, column {first.Column})"
    count = sum(batch.Statements.Count for batch in tree.Batches)
    return None if count == 1 else f"{count} statements"


def main(dotnet, scriptdom, version="2019"):
    dom = load(dotnet, scriptdom)
    from System.IO import StringReader

    known = max((year for year in GRAMMARS if year <= int(version)), default=min(GRAMMARS))
    # Quoted identifiers are on, as every driver sets them.
    parser = getattr(dom, GRAMMARS[known])(True)
    for line in sys.stdin:
        print(json.dumps(verdict(parser, StringReader, json.loads(line))), flush=True)


if __name__ == "__main__":
    sys.stdin.reconfigure(encoding="utf-8")
    main(*sys.argv[1:])
