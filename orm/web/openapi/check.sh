#!/usr/bin/env bash
# Whether OpenAPI documents are valid: `check.sh document.json ..`. Without any it takes those that the tests write.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$("$here/setup.sh")
documents=("$@")
if [[ ${#documents[@]} == 0 ]]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    ISOGLOSS_OPENAPI_FOLDER=$folder cargo test -q -p isogloss-web --features openapi --test it openapi::documents_are_written
    documents=("$folder"/*.json)
fi
for document in "${documents[@]}"; do
    "$bin/openapi-spec-validator" --schema 3.1 "$document"
done
