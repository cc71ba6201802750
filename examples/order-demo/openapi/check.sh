#!/bin/sh
# Starts the demo, judges its description, and has schemathesis ask what that says: `./check.sh [PROGRAM]`.
set -eu
cd "$(dirname "$0")"
folder=..
judges=../../../orm/web/openapi
. ../served.sh
bin=$("$judges/setup.sh")
served "$@"

api=$address/api
python() {
    "$bin/python" - "$@" <<'PYTHON'
import json, sys, urllib.request
what, url, token = sys.argv[1:4]
def ask(path, body=None):
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + token}
    return urllib.request.urlopen(urllib.request.Request(url + path, body, headers)).read().decode()
if what == "login":
    print(json.loads(ask("/login", json.dumps({"userName": "ada", "password": "isogloss"}).encode()))["token"])
else:
    print(ask(what))
PYTHON
}
ISOGLOSS_TOKEN=$(python login "$api" "")
export ISOGLOSS_TOKEN
documents=$(mktemp -d)
for name in openapi openapi-flat; do
    python "/$name.json" "$api" "" >"$documents/$name.json"
done
"$judges/check.sh" "$documents/openapi.json" "$documents/openapi-flat.json"
rm -r "$documents"

# Whoever logs out, or gives a new password to who is logged in, gets nothing but a 401 for the rest.
ISOGLOSS_FUZZ_EXAMPLES=${ISOGLOSS_FUZZ_EXAMPLES:-20} ISOGLOSS_FUZZ_TREES=${ISOGLOSS_FUZZ_TREES:-3} \
    "$judges/fuzz.sh" "$api/openapi-flat.json" --exclude-path /logout --exclude-path "/users/{id}/password"
python /me "$api" "$ISOGLOSS_TOKEN" >/dev/null
