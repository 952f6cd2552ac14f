# The browser of the tests and of the measurements; to be sourced. `has_browser` says whether there is one, `get_browser`
# installs Debian's where it may.
has_browser() {
    local path
    for path in "${CHROMIUM:-}" /usr/bin/chromium-headless-shell /usr/bin/chromium /usr/bin/google-chrome; do
        [ -z "$path" ] || [ ! -x "$path" ] || return 0
    done
    return 1
}

get_browser() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    echo "browser: installing chromium-headless-shell" >&2
    export DEBIAN_FRONTEND=noninteractive
    local packages=(chromium-headless-shell fonts-liberation)
    apt-get install -y --no-install-recommends "${packages[@]}" >/dev/null 2>&1 ||
        { apt-get update >/dev/null 2>&1 && apt-get install -y --no-install-recommends "${packages[@]}" >/dev/null 2>&1; }
}
