# The machine suspended and woken, with what is back two seconds later and what is not; and its clock
# set, which is no suspend.
. /test/lib.sh
. /test/far.sh

# Runs a command and sleeps for five seconds, of both of which reach learns when it wakes.
#
# The kernel suspends its devices and its clock, and then waits instead of switching the machine off
# (Documentation/power/basic-pm-debugging.rst), so nobody has to wake it.
suspend() {
  kill -STOP "$watcher" "$recorder"
  "$@"
  echo core >/sys/power/pm_test
  echo mem >/sys/power/state
  kill -CONT "$watcher" "$recorder"
}

# What reach told last of a target holds a text.
says() {
  grep "\"target\":\"$1\"" /run/told | tail -n 1 | grep -q "$2"
}

step 'connected'
ip link add eth0 index 31 type veth peer name far0 index 42 netns far
far_end far0
ip link set eth0 up
soon is eth0 operstate up
near_end eth0
watch internet
echo 'reach.on { target = reach.internet, change = print }' >/run/hook.lua
reach record /run/recorded /run/hook.lua 2>/run/recorder-complaints &
recorder=$!
expect internet 'reachable via wired'
check 'the recorder has it' soon grep -q '^0 internet reachable' /run/recorded

step 'clock set'
date -s "$(date -d "@$(($(date +%s) + 3600))" '+%Y-%m-%d %H:%M:%S')" >/dev/null
sleep 3
check 'nothing is told' tells internet ''

step 'slept, and nothing changed'
slept=$(cut -d . -f 1 /proc/uptime)
suspend true
check 'the machine slept' [ "$(cut -d . -f 1 /proc/uptime)" -ge $((slept + 4)) ]
sleep 5
check 'nothing is told' tells internet ''

step 'lost, and back within two seconds of waking'
suspend ip -n far link set far0 down
ip -n far link set far0 up
sleep 5
check 'nothing is told' tells internet ''

step 'lost and not back'
suspend ip -n far link set far0 down
expect internet 'unreachable no-carrier'
check 'the cause is the suspend' says internet '"cause":"resume"'

step 'back later'
ip -n far link set far0 up
expect internet 'reachable via wired'
check 'the cause is the link' says internet '"cause":"local"'

step 'lost while awake'
ip -n far link set far0 down
expect internet 'unreachable no-carrier'
check 'the cause is the link' says internet '"cause":"local"'

step 'back while asleep'
suspend ip -n far link set far0 up
expect internet 'reachable via wired'
check 'the cause is the suspend' says internet '"cause":"resume"'

step 'recorded'
kill "$recorder"
check 'the recorder ends well' wait "$recorder"
check 'it complained of nothing' cmp /dev/null /run/recorder-complaints
cat >/run/expected <<'END'
internet reachable
@suspend
@suspend
@suspend
internet unreachable resume
internet reachable
internet unreachable
@suspend
internet reachable resume
END
# Times are left out, and of changes all but status and cause.
sed -n 's/^[0-9.]* \(@suspend\|internet [a-z]*\).*cause=\([a-z]*\).*/\1 \2/p; t
  s/^[0-9.]* \(@suspend\|internet [a-z]*\).*/\1/p' /run/recorded >/run/told-again
check 'each change, and each suspend before what it changed' diff /run/expected /run/told-again
check 'each suspend was of seconds' [ "$(grep -c '@suspend [0-9]*s' /run/recorded)" = 4 ]
sed 's/^/# /' /run/recorded
finish
