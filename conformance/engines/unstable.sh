# Packages of Debian's unstable suite without a change to the system: to be sourced.
#
# apt runs with a state of its own, which knows that suite alone and thinks that nothing is installed. What it downloads is
# to be unpacked with `dpkg-deb -x` and run under the C library among it, as the machine's is older.

# Where this machine gets Debian from. Apt tells it only of what it has read: if it has read nothing yet, a copy reads it.
debian_source() {
    local VERSION_CODENAME="" lists
    # shellcheck source=/dev/null
    [[ -r /etc/os-release ]] && . /etc/os-release
    [[ ${ID:-} == debian ]] || return 1
    for lists in "" "$1/known"; do
        [[ -z $lists ]] || { mkdir -p "$lists/partial"; apt-get -qq -o Dir::State::Lists="$lists" update >&2 || return 1; }
        apt-get ${lists:+-o Dir::State::Lists="$lists"} indextargets --format '$(REPO_URI)' \
            'Created-By: Packages' 'Component: main' "Release: $VERSION_CODENAME" | head -n 1 | grep . && break
    done
    rm -rf "$1/known"
}

# unstable_packages FOLDER PACKAGE.. [-- PACKAGE..]: fills FOLDER/archives, unless it is there. Those behind `--` come without
# what they depend on. The caller's `fail` says what goes wrong.
unstable_packages() {
    local apt=$1 source whole=() alone=()
    shift
    [[ ! -d $apt/archives ]] || return 0
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || fail "there are no apt-get and dpkg-deb to get packages with"
    source=$(debian_source "$apt") && [[ -n $source ]] || fail "apt knows no Debian to take the unstable suite from"
    while (($#)) && [[ $1 != -- ]]; do whole+=("$1"); shift; done
    (($# == 0)) || { shift; alone=("$@"); }
    rm -rf "$apt/fresh"
    mkdir -p "$apt/lists/partial" "$apt/fresh/partial"
    printf 'deb %s sid main\n' "$source" >"$apt/sid.list"
    : >"$apt/status"
    local options=(-qq -o Dir::Etc::SourceList="$apt/sid.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::Etc::Preferences=/dev/null
        -o Dir::Etc::PreferencesParts=/dev/null -o Dir::State::Lists="$apt/lists" -o Dir::State::status="$apt/status"
        -o Dir::Cache="$apt" -o Dir::Cache::archives="$apt/fresh" -o Acquire::Languages=none
        -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false -o APT::Sandbox::User="$(id -un)" -o Debug::NoLocking=1)
    printf 'downloading %s and what they need\n' "${whole[*]} ${alone[*]}" >&2
    apt-get "${options[@]}" update >&2 || fail "apt cannot read the unstable suite"
    apt-get "${options[@]}" install -y --download-only --no-install-recommends "${whole[@]}" >&2 ||
        fail "apt cannot download ${whole[*]}"
    ((${#alone[@]} == 0)) || (cd "$apt/fresh" && apt-get "${options[@]}" download "${alone[@]}" >&2) ||
        fail "apt cannot download ${alone[*]}"
    # All or nothing: a cache that is there is complete.
    mv "$apt/fresh" "$apt/archives"
    rm -rf "$apt/lists"
}
