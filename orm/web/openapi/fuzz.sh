#!/usr/bin/env bash
# Asks a running server what its OpenAPI document says, in every way that schemathesis thinks of:
# `fuzz.sh URL-OF-THE-DOCUMENT [BASE-URL] [OPTIONS-OF-SCHEMATHESIS ..]`. The document is one without recursion
# (`OpenApiDocument::unrolled`). With ISOGLOSS_TOKEN, requests have it as their bearer token.
#
# No answer may be a 5xx, undocumented, or unlike its schema. That a valid request is taken is not asked: a tree of the right
# form may name a pair of values that no engine compares, and a row may refer to one that is not there. Nor is it that every
# invalid one is refused: the reader takes spellings that the document does not show.
set -euo pipefail

[[ $# -ge 1 ]] || { printf 'usage: fuzz.sh URL-OF-THE-DOCUMENT [BASE-URL] [OPTIONS ..]\n' >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$("$here/setup.sh")
document=$1
shift
options=()
if [[ $# -ge 1 && $1 == http* ]]; then
    options+=(--url "$1")
    shift
fi
[[ -z ${ISOGLOSS_TOKEN:-} ]] || options+=(--header "Authorization: Bearer $ISOGLOSS_TOKEN")
# It keeps notes in the folder where it runs.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fuzz() {
    "$bin/schemathesis" run "$document" "${options[@]}" \
        --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,response_headers_conformance \
        --suppress-health-check all --seed "${ISOGLOSS_SEED:-1}" --no-color "$@"
}
fuzz --phases examples,coverage,fuzzing --exclude-path-regex '/(page|expr)$' --max-examples "${ISOGLOSS_FUZZ_EXAMPLES:-50}" "$@"
# Trees take long to make up, and to go through all that a schema of theirs mentions does not end.
fuzz --phases examples,fuzzing --include-path-regex '/(page|expr)$' --max-examples "${ISOGLOSS_FUZZ_TREES:-10}" "$@"
