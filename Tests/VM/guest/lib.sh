# What the tests share. Each brings an interface up for real while `reach watch` runs beside it, and
# expects after each step what reach tells of a target, in order, and nothing else.
set -eu

# Everything here takes up to 18 times as long as outside.
patience=30

# What the next checks are about.
step() {
  step=$*
}

# The command succeeds within a while.
soon() {
  read -r now _ </proc/uptime
  end=$((${now%.*} + patience))
  until "$@"; do
    read -r now _ </proc/uptime
    [ "${now%.*}" -lt "$end" ] || {
      echo "# in vain: $*"
      return 1
    }
    sleep 0.1
  done
}

# A check that a command decides: check TEXT COMMAND…
check() {
  text=$1
  shift
  if "$@" >/run/check 2>&1; then
    echo "ok - $step: $text"
  else
    echo "not ok - $step: $text"
    sed 's/^/# /' /run/check
  fi
}

# Packets really get to an address.
check_traffic() {
  check "packets get to $1" ping -c 1 -W "$patience" "$1"
}

# What the kernel says of an interface in sysfs: is LINK ATTRIBUTE VALUE
is() {
  [ "$(cat "/sys/class/net/$1/$2" 2>/dev/null)" = "$3" ]
}

# Watches targets until `finish`; $options are more of reach's.
options=
watch() {
  targets=$*
  rm -rf /run/heard
  mkdir /run/heard
  reach watch --json $options "$@" >/run/told 2>/run/complaints &
  watcher=$!
}

# The states that reach has told of a target, equal ones in a row once: `reachable via wifi on Home vpn`.
story() {
  awk -v target="$1" '
    function field(name) {
      if (!match($0, "\"" name "\":(\"[^\"]*\"|[^,}]*)")) return ""
      text = substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
      gsub(/"/, "", text)
      return text
    }
    { sub(/"changed":[{][^}]*[}]/, "") }
    field("target") == target {
      state = field("status")
      if (state == "reachable") state = state " via " field("via")
      else state = state " " field("reason")
      if (field("ssid") != "null") state = state " on " field("ssid")
      if (field("vpn") == "true") state = state " vpn"
      if (state != last) print state
      last = state
    }' /run/told
}

# What was told of a target since the last expectation.
news() {
  heard=$(cat "/run/heard/$1" 2>/dev/null || echo 0)
  story "$1" | tail -n +$((heard + 1))
}

tells() {
  told=$(news "$1")
  [ "$(echo "$told" | wc -l)" = "$(echo "$2" | wc -l)" ] || return 1
  case $told in $2) ;; *) return 1 ;; esac
}

# What reach tells of a target since the last expectation: expect TARGET STATE…
# A state may be a pattern.
expect() {
  target=$1
  shift
  wanted=$(printf '%s\n' "$@")
  text="$target is $(echo "$wanted" | sed ':a; N; $!ba; s/\n/, then /g')"
  if soon tells "$target" "$wanted"; then
    echo "ok - $step: $text"
  else
    echo "not ok - $step: $text"
    news "$target" | sed 's/^/# told: /'
  fi
  story "$target" | wc -l >"/run/heard/$target"
}

# Ends the watch: nothing else was told, not even once reach has looked again without a hint, and
# there was nothing to complain of.
finish() {
  step 'at the end'
  sleep 3
  for target in $targets; do check "no more of $target" tells "$target" ''; done
  check 'reach still runs' kill -0 "$watcher"
  kill "$watcher"
  check 'reach complained of nothing' cmp /dev/null /run/complaints
}
