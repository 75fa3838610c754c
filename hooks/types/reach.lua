---@meta _

-- What Reach 0.1.0 gives to hooks and to their specs (NAME_test.lua).
-- Written by `reach new`, which keeps it up to date while this line is here.
-- luacheck: ignore

---Seconds, or a text such as `"250ms"`, `"10s"`, `"1m30s"` or `"2h"`.
---@alias reach.Duration number|string

---Is called with an event. While it waits, as in `reach.run`, everybody else goes on.
---@alias reach.Handler fun(e: reach.Event)

---Whether a target can be reached.
---@alias reach.Status
---| "unknown" # not yet judged; hooks are never called with it
---| "unreachable" # nothing leads there, or its probe says so
---| "portal" # its HTTP probe met a sign-in page
---| "reachable" # packets can leave for it, and its probe, where it has one, passes

---What carries the path; through a VPN, what carries that.
---@alias reach.Medium
---| "wired" # a cable
---| "wifi" # WiFi
---| "wwan" # a mobile network
---| "loopback" # this machine itself
---| "other" # none of these, or not to be known

---Why a target is not reachable.
---@alias reach.Reason
---| "no-route" # no route leads there
---| "link-down" # the interface is switched off
---| "no-carrier" # the interface is on, and nothing is connected to it
---| "no-address" # the link has no address of its own, or none of that family
---| "interface-missing" # there is no such interface
---| "blackhole" # a route drops what is sent there
---| "prohibited" # a route or rule prohibits what is sent there
---| "host-unreachable" # a route or a router says that the host cannot be reached
---| "filtered" # a firewall on the way refuses it
---| "not-permitted" # this machine's own firewall refuses it
---| "dns" # its name has no address that is known
---| "timeout" # the probe had no answer in time
---| "refused" # the host refuses connections to that port
---| "reset" # the host broke the connection off
---| "tls" # the host has no certificate that this system trusts
---| "http-status" # the answer over HTTP is not the expected one
---| "portal" # a sign-in page answers in its place
---| "wwan-not-allowed" # the path is mobile data, and `wwan = false`
---| "metered-not-allowed" # the path is metered, and `metered = false`
---| "network-differs" # no link is on that network

---What brought an event about.
---@alias reach.Cause
---| "local" # this machine's link, address or route
---| "remote" # the probe
---| "dns" # the resolution of a name
---| "restart" # the first verdict after Reach started
---| "reload" # the first verdict after the script was loaded anew
---| "resume" # the machine woke from suspend

---What becomes of an event that comes while the hook's handler runs.
---@alias reach.Mode
---| "latest" # the newest waits, alone; `e.missed` counts the others
---| "queue" # up to 32 wait, in order
---| "restart" # the run is cancelled for it

---How a notification is shown.
---@alias reach.Urgency
---| "low" # it need not be seen at once
---| "normal" # as others
---| "critical" # it stays until somebody has seen it

---Why a script is unloaded.
---@alias reach.Departure
---| "reload" # another version takes its place
---| "removed" # its file is gone
---| "shutdown" # Reach ends

---What `reach.target` takes.
---@class reach.TargetOptions
---The subject: a host, by its name.
---@field host? string
---The subject: an IPv4 or IPv6 address.
---@field address? string
---With `address`: the address of this machine to come from.
---@field from? string
---The subject: an interface, which must be up with an address.
---@field interface? string
---The subject: a default route that works.
---@field internet? true
---The subject: being on a network.
---@field network? reach.NetworkOptions
---What events call it. Default the subject; unique in the script.
---@field name? string
---`true` says that no probe is meant: a way to it is enough, also if it is switched off.
---@field route? boolean
---`false`: mobile data does not count as reachable. Default true.
---@field wwan? boolean
---`false`: nor does a path known to be metered. Default true.
---@field metered? boolean
---What interfaces are to be taken for: `{ usb0 = "wwan" }`.
---@field medium? table<string, "wired"|"wifi"|"wwan"|"other">
---The probe: does the port take connections? For an interface, the internet and a network with its
---destination: `"1.1.1.1:443"`.
---@field tcp? integer|string
---The probe: does the host answer an echo request? For an interface, the internet and a network
---its destination: `"1.1.1.1"`.
---@field icmp? true|string
---The probe: is there an address for that name? The host is asked; for an interface, the internet
---and a network the system's nameservers.
---@field dns? string
---The probe: does the http or https URL answer with 200 to 299, or as `expect` says? Its host is
---the subject where there is none. Over plain http sign-in pages are noticed.
---@field http? string
---With `http`: the status, or a text that the body holds.
---@field expect? integer|string
---How often the probe is sent. Default 30 s.
---@field every? reach.Duration
---How long it may take. Default 3 s.
---@field timeout? reach.Duration
---So many failures in a row make it unreachable. Default 3.
---@field fall? integer
---So many passes in a row make it reachable again. Default 2.
---@field rise? integer

---What tells a network: a link that is up fits all that is given.
---@class reach.NetworkOptions
---The WiFi network's name, or a list of names.
---@field ssid? string|string[]
---The router's hardware address: `"02:00:5e:10:00:01"`.
---@field gateway_mac? string
---Where the link's address lies: `"192.168.1.0/24"`.
---@field subnet? string

---Targets that make up another.
---@class reach.Members
---@field [integer] reach.Target
---What events call it. Default as it is written: `any(nas, backup)`.
---@field name? string

---What `reach.on` takes.
---@class reach.HookOptions
---What it hears of.
---@field target reach.Target
---What logs call it. Default the target's; unique in the script.
---@field name? string
---The target becomes reachable.
---@field reachable? reach.Handler
---The target becomes unreachable.
---@field unreachable? reach.Handler
---A sign-in page stands before the target: see `e.url`.
---@field portal? reach.Handler
---The target is reached by cable, and was not before.
---@field wired? reach.Handler
---The target is reached by WiFi, and was not before.
---@field wifi? reach.Handler
---The target is reached by mobile data, and was not before.
---@field wwan? reach.Handler
---Status, medium, VPN, metering, interface, gateway or WiFi network differ: see `e.changed`.
---@field change? reach.Handler
---What does not hold that long does not exist for the hook. Default 0.
---@field stable? reach.Duration|reach.Durations
---It hears nothing while this target is not reachable.
---@field given? reach.Target
---It hears nothing in these hours: `"22:00-07:00"`, local time.
---@field quiet? string
---So long lies between two calls for the same status.
---@field apart? reach.Duration|reach.Durations
---While the status holds, its handlers are called again so long after the last run ended.
---@field again? reach.Duration|reach.Durations
---Whether the first verdict after a load is told. Default `"changed"`: if it differs from what was
---told last.
---@field initial? "changed"|boolean
---Default `"latest"`.
---@field mode? reach.Mode
---How long a run may take, waits included. Default 5 min, and at least 100 ms.
---@field deadline? reach.Duration

---A duration for each status.
---@class reach.Durations
---While it is reachable.
---@field reachable? reach.Duration
---While it is unreachable.
---@field unreachable? reach.Duration
---While it is portal.
---@field portal? reach.Duration

---What a handler is given: how a target is, and how that differs from before.
---@class reach.Event
---The target's name.
---@field target string
---What it is now.
---@field status reach.Status
---What this hook was told before; `"unknown"` at first.
---@field was reach.Status
---What carries the path, if it is reachable or portal.
---@field via? reach.Medium
---What carried it when this hook was told before.
---@field was_via? reach.Medium
---What differs from what was told before.
---@field changed reach.Changes
---Whether the path goes through a tunnel.
---@field vpn boolean
---Whether it is paid for by volume; nil where nothing tells.
---@field metered? boolean
---The interface; beneath a tunnel the one that carries it.
---@field interface? string
---The target's address.
---@field address? string
---The address of this machine that it is reached from.
---@field source? string
---The router's address.
---@field gateway? string
---The router's hardware address, if the kernel knows it.
---@field gateway_mac? string
---The WiFi network's name, if that is printable UTF-8.
---@field ssid? string
---Why it is not reachable.
---@field reason? reach.Reason
---What brought it about.
---@field cause reach.Cause
---When the status began, in Unix seconds.
---@field since integer
---How many seconds the status before had lasted.
---@field lasted? integer
---When the event was let go, in Unix seconds.
---@field at integer
---The transition's number, over all targets.
---@field sequence integer
---Whether it is the first verdict after a load.
---@field initial boolean
---How many transitions were skipped before it.
---@field missed integer
---How often it was called again for this: 0 at first.
---@field again integer
---Whether the run that was told this before was broken off.
---@field retried boolean
---The probe's round trip, in seconds.
---@field latency? number
---The sign-in page of a portal.
---@field url? string
---The path, as SCNetworkReachability flags it.
---@field flags reach.Flags

---What differs from what was told before; nil is what does not.
---@class reach.Changes
---Whether `e.status` differs.
---@field status? true
---Whether `e.via` differs.
---@field via? true
---Whether `e.vpn` differs.
---@field vpn? true
---Whether `e.metered` differs.
---@field metered? true
---Whether `e.interface` differs.
---@field interface? true
---Whether `e.gateway` differs.
---@field gateway? true
---Whether `e.ssid` differs.
---@field ssid? true

---How the kernel's path is; neither probe nor policy changes it.
---@class reach.Flags
---It comes and goes: ppp, a tunnel, WWAN.
---@field transient_connection boolean
---Packets can leave.
---@field reachable boolean
---A connection must be made first.
---@field connection_required boolean
---Traffic makes the connection.
---@field connection_on_traffic boolean
---Making the connection needs a person.
---@field intervention_required boolean
---A program's demand makes the connection.
---@field connection_on_demand boolean
---The target is an address of this machine.
---@field is_local_address boolean
---No router lies between.
---@field is_direct boolean
---It leads over a mobile network.
---@field is_wwan boolean
---All of them, as one number.
---@field raw integer

---What `reach.run` takes: the command and its arguments, and how it is run. A relative path of a
---command starts at the script's folder; a bare name is looked up in `PATH`.
---@class reach.RunOptions
---@field [integer] string|number
---When it is ended. Default 30 s, or what is left until the hook's deadline.
---@field timeout? reach.Duration
---Whether a failure is an error in the script. Default false.
---@field check? boolean
---What it reads. Default nothing.
---@field stdin? string
---Its working folder. Default the script's.
---@field cwd? string
---Variables that are added to its environment.
---@field env? table<string, string>

---How a command ended.
---@class reach.RunResult
---Whether it ran and exited with 0.
---@field ok boolean
---Its exit code; nil where a signal ended it.
---@field code? integer
---The signal that ended it.
---@field signal? integer
---What it wrote, up to 64 KiB.
---@field stdout string
---What it wrote to its error stream, up to 64 KiB.
---@field stderr string
---Whether it was ended because its time was over.
---@field timed_out boolean
---Whether it wrote more than is kept.
---@field truncated boolean
---Why it could not be started.
---@field error? string

---What `reach.http` takes.
---@class reach.HTTPOptions
---Where to: an http or https URL.
---@field url string
---In capitals. Default `"GET"`, and `"POST"` with a body or json.
---@field method? string
---Headers that are sent.
---@field headers? table<string, string>
---What is sent.
---@field body? string
---What is sent, written as JSON; instead of `body`.
---@field json? any
---When it is given up. Default 30 s, or what is left until the hook's deadline.
---@field timeout? reach.Duration
---How many redirects are followed. Default 0.
---@field redirect? integer

---What a server answered, or why there is no answer.
---@class reach.HTTPResult
---Whether the status is 200 to 299.
---@field ok boolean
---The answer's status.
---@field status? integer
---Its headers, with names in lower case.
---@field headers? table<string, string>
---What it holds, up to 1 MiB.
---@field body? string
---Why there is no answer, or that the body is cut.
---@field error? string

---What `reach.notify` takes.
---@class reach.NotifyOptions
---What it is headed.
---@field title string
---What it says beneath; shown as text, never as markup.
---@field body? string
---Default `"normal"`.
---@field urgency? reach.Urgency
---A word: it takes the place of the script's last with the same word. `true`: of the last with
---`true`.
---@field replace? string|boolean

---What `reach.write` takes.
---@class reach.WriteOptions
---The file; a relative path starts at the script's folder.
---@field path string
---What it is to hold, or what is added.
---@field text string
---Whether the text is added at the file's end. Default false.
---@field append? boolean

---Whether something was done.
---@class reach.Report
---Whether it was done.
---@field ok boolean
---Why it was not.
---@field error? string

---How a rehearsal begins.
---@class reach.RehearsalOptions
---The time, in UTC. Default `"2026-01-05T12:00:00"`.
---@field at? string
---What the script has kept in `reach.store`.
---@field store? table

---What a test says of a target.
---@class reach.TestTarget
---What it is now.
---@field status? reach.Status
---What carries the path, if it is reachable or portal.
---@field via? reach.Medium
---Why it is not reachable.
---@field reason? reach.Reason
---What brought it about.
---@field cause? reach.Cause
---Whether the path goes through a tunnel.
---@field vpn? boolean
---Whether it is paid for by volume; nil where nothing tells.
---@field metered? boolean
---The interface; beneath a tunnel the one that carries it.
---@field interface? string
---The target's address.
---@field address? string
---The address of this machine that it is reached from.
---@field source? string
---The router's address.
---@field gateway? string
---The router's hardware address, if the kernel knows it.
---@field gateway_mac? string
---The WiFi network's name, if that is printable UTF-8.
---@field ssid? string
---The probe's round trip.
---@field latency? reach.Duration
---The sign-in page of a portal.
---@field url? string
---The path's flags, as `e.flags.raw` has them.
---@field flags? integer

---How what a script does ends in a test; by default well, and at once.
---@class reach.TestAnswer
---`false`: it fails.
---@field ok? boolean
---How long it takes.
---@field after? reach.Duration
---Why it cannot be done.
---@field error? string
---Its exit code; nil where a signal ended it.
---@field code? integer
---The signal that ended it.
---@field signal? integer
---What it wrote, up to 64 KiB.
---@field stdout? string
---What it wrote to its error stream, up to 64 KiB.
---@field stderr? string
---Whether it was ended because its time was over.
---@field timed_out? boolean
---Whether it wrote more than is kept.
---@field truncated? boolean
---The answer's status.
---@field status? integer
---Its headers, with names in lower case.
---@field headers? table<string, string>
---What it holds, up to 1 MiB.
---@field body? string

---A request that a script sent in a test.
---@class reach.SentRequest
---In capitals.
---@field method string
---Where to.
---@field url string
---What was sent; empty where nothing was.
---@field body string
---With names in lower case.
---@field headers table<string, string>

---A notification that a script showed in a test.
---@class reach.ShownNotification
---What it is headed.
---@field title string
---What it says beneath.
---@field body string
---How it is shown.
---@field urgency reach.Urgency
---In which place, as `reach.notify` was told.
---@field replace? string|boolean

---What a script wrote to a file in a test.
---@class reach.WrittenFile
---The file.
---@field path string
---What was written.
---@field text string
---Whether it was added at the end.
---@field append boolean

---A target, with how it stands: live, and without any hook's `stable`.
---@class reach.Target
---What events call it.
---@field name string
---`"unknown"` until it is judged.
---@field status reach.Status
---What carries the path, if it is reachable or portal.
---@field via? reach.Medium
---When the status began, in Unix seconds.
---@field since? integer
---Whether the path goes through a tunnel.
---@field vpn boolean
---Whether it is paid for by volume; nil where nothing tells.
---@field metered? boolean
---The interface; beneath a tunnel the one that carries it.
---@field interface? string
---The router's address.
---@field gateway? string
---The WiFi network's name, if that is printable UTF-8.
---@field ssid? string
---Why it is not reachable.
---@field reason? reach.Reason
---What brought that about.
---@field cause? reach.Cause
---The probe's round trip, in seconds.
---@field latency? number
local target = {}

---Waits until the target has a status: `nas:wait("reachable", "30s")`.
---
---It acts: call it in handlers, which wait for it.
---@param status reach.Status What it waits for.
---@param timeout? reach.Duration For how long; by default for as long as the run may.
---@return boolean reached Whether the target has the status.
function target:wait(status, timeout) end

---What `reach.every` and `reach.after` return.
---@class reach.Timer
local timer = {}

---Ends the timer; a call of it that runs goes on.
function timer:cancel() end

---What hooks find beside Lua's own names.
---@class reach
---The target: is there a default route that works, of IPv4 or IPv6? It is blind behind the router;
---for that probe: `reach.target{ internet = true, name = "line", tcp = "1.1.1.1:443" }`.
---@field internet reach.Target
---The target: is a WiFi link up, with an address of its own?
---@field local_wifi reach.Target
---This machine's name.
---@field hostname string
---A table of the script's own, for its handlers: what they put there (numbers, strings, booleans,
---tables of them; 64 KiB) outlives reload, restart and reboot. It is on the disk before what a
---handler waits for begins.
---@field store table
reach = {}

reach.json = {}

reach.log = {}

---Declares a target: `reach.target{ host = "nas.lan", tcp = 22 }`.
---
---It has one subject: `host`, `address`, `interface`, `internet` or `network`; and one probe at
---most: `tcp`, `icmp`, `dns` or `http`. Without a probe the kernel's word counts.
---
---It declares: call it while the script is loaded.
---@param options reach.TargetOptions What is judged, and how.
---@return reach.Target target What `reach.on` takes, and the combinations.
function reach.target(options) end

---Declares a target that is reachable while one of its members is: `reach.any{ nas, backup }`.
---
---It declares: call it while the script is loaded.
---@param members reach.Members The targets, and the name.
---@return reach.Target target What can be combined again, too.
function reach.any(members) end

---Declares a target that is reachable while all its members are: `reach.all{ nas, backup }`.
---
---It declares: call it while the script is loaded.
---@param members reach.Members The targets, and the name.
---@return reach.Target target What can be combined again, too.
function reach.all(members) end

---Declares a target that is reachable while so many of its members are:
---`reach.at_least(2, { a, b, c })`.
---
---It declares: call it while the script is loaded.
---@param count integer How many.
---@param members reach.Members The targets, and the name.
---@return reach.Target target What can be combined again, too.
function reach.at_least(count, members) end

---Declares a hook: `reach.on{ target = nas, unreachable = function(e) … end }`.
---
---Handlers are named by what becomes true. Those of one hook never overlap.
---
---It declares: call it while the script is loaded.
---@param options reach.HookOptions The target, the handlers, and when to hear.
function reach.on(options) end

---Calls a function again and again: `reach.every("10m", function() … end)`.
---
---A call that is due while the one before runs is left out. The timer runs until its `:cancel()`,
---whether or not the script keeps it.
---@param duration reach.Duration How long until the call; from 100 ms.
---@param handler fun() Is called, and may wait as handlers do.
---@return reach.Timer timer What ends it.
function reach.every(duration, handler) end

---Calls a function once, unless `:cancel()` comes first: `reach.after("5s", function() … end)`.
---@param duration reach.Duration How long until the call; from 100 ms.
---@param handler fun() Is called, and may wait as handlers do.
---@return reach.Timer timer What ends it.
function reach.after(duration, handler) end

---Has a function called when the script is unloaded: `reach.defer(function(why) … end)`.
---
---What was deferred last is called first, as `<close>` variables are.
---
---It declares: call it while the script is loaded.
---@param handler fun(why: reach.Departure) Is called; it may wait, up to 2 s.
function reach.defer(handler) end

---Runs a command, without a shell, and waits for its end:
---`reach.run{ "systemctl", "stop", "backup.service" }`.
---
---A failure is logged with the last line of the error stream, and is an error with `check = true`
---alone. A script has eight commands at a time; a ninth waits.
---
---It acts: call it in handlers, which wait for it.
---@param options reach.RunOptions The command and its arguments.
---@return reach.RunResult result How it ended.
function reach.run(options) end

---Sends an HTTP request and waits for the answer:
---`reach.http{ url = "https://nas.lan/wake", json = { on = true } }`.
---
---A failure, and a status other than 200 to 299, is logged, too. A script has eight requests at a
---time; a ninth waits. Needs the package `libcurl4`.
---
---It acts: call it in handlers, which wait for it.
---@param options reach.HTTPOptions Where to, and what is sent.
---@return reach.HTTPResult answer What came back, or why nothing did.
function reach.http(options) end

---Shows a notification on the desktop: `reach.notify{ title = "NAS", body = e.reason }`.
---
---It needs a session bus, which the system's daemon has not. What fails is logged, too.
---
---It acts: call it in handlers, which wait for it.
---@param options reach.NotifyOptions What it says.
---@return reach.Report result Whether it was done.
function reach.notify(options) end

---Writes a file: `reach.write{ path = "state.json", text = "…" }`.
---
---A file is replaced at one moment; with `append` the text is added at its end. A device, and a
---file in `/sys` or `/proc`, is written in place. What fails is logged, too.
---
---It acts: call it in handlers, which wait for it.
---@param options reach.WriteOptions Which file, and what it is to hold.
---@return reach.Report result Whether it was done.
function reach.write(options) end

---Waits, through suspend too: `reach.sleep("10s")`.
---
---It acts: call it in handlers, which wait for it.
---@param duration reach.Duration How long.
function reach.sleep(duration) end

---Seconds that run on through suspend, for measuring how long something took.
---@return number seconds With a fraction.
function reach.now() end

---Writes a value as JSON: `reach.json.encode{ status = e.status }`.
---
---A table with items is an array, any other an object, the empty one too; keys come in order. Nil
---is null. What JSON does not have is an error that names its place.
---@param value any What is written.
---@return string text JSON, in one line.
function reach.json.encode(value) end

---Reads JSON: `reach.json.decode(answer.body).version`.
---
---Arrays and objects are tables, and null is nil: as if its key were not there. What is no JSON is
---an error that names the byte.
---@param text string JSON.
---@return any value What it stands for.
function reach.json.decode(text) end

---Returns what a file in `lib/` beside the script returns: `require "lib.mail"`.
---
---Each file is run once, while the script is loaded. A handler gets what was returned then.
---@param name string The file, with dots for slashes.
---@return any value What the file returns; true where that is nothing.
function require(name) end

---Logs its arguments as a line of level `info`, with tabs between them.
---@param ... any What it says.
function print(...) end

---Reads a secret, such as a password: `reach.secret("mail")`.
---
---It lies in `$CREDENTIALS_DIRECTORY`, where systemd puts credentials, or else in
---`$XDG_CONFIG_HOME/reach/secrets` (`~/.config/reach/secrets`), where only its owner may be able
---to read it. From then on logs have `***` in its place.
---@param name string The name of its file.
---@return string secret What the file holds, without the newline at its end.
function reach.secret(name) end

---Logs a line for whoever looks for a fault.
---@param format any What it says, as for `string.format` where values follow.
---@param ... any The values.
function reach.log.debug(format, ...) end

---Logs a line: `reach.log.info("via %s", e.via)`.
---@param format any What it says, as for `string.format` where values follow.
---@param ... any The values.
function reach.log.info(format, ...) end

---Logs a line that somebody should read.
---@param format any What it says, as for `string.format` where values follow.
---@param ... any The values.
function reach.log.warn(format, ...) end

---Logs a line that somebody must read.
---@param format any What it says, as for `string.format` where values follow.
---@param ... any The values.
function reach.log.error(format, ...) end

---What hooks find of Lua's `os`.
---@class oslib
os = {}

---The processor time that the process has used.
---@return number seconds With a fraction.
function os.clock() end

---Writes a time as a date: `os.date("%F %T", e.since)`.
---@param format? string As for strftime(3); `"*t"` gives a table, `!` in front UTC.
---@param time? integer Unix seconds. Default now.
---@return any date A string, or the table.
function os.date(format, time) end

---The seconds between two times.
---@param later integer Unix seconds.
---@param earlier integer Unix seconds.
---@return number seconds What lies between.
function os.difftime(later, earlier) end

---A variable of the environment.
---@param name string Its name.
---@return string? value What it holds; nil where it is not set.
function os.getenv(name) end

---A date as Unix seconds.
---@param date? table With year, month, day, and hour, min, sec. Default now.
---@return integer time Unix seconds.
function os.time(date) end

---A hook under a clock and a network of a test's own.
---@class reach.Rehearsal
---A copy of the script's `reach.store`.
---@field store table
local rehearsal = {}

---Says how targets are from now on: `t:set{ nas = { status = "unreachable" } }`.
---
---What is not said follows from the status; without a status it stays as it is. Combined targets
---follow from their members.
---@param targets table<string, reach.Status|reach.TestTarget> By the targets' names.
function rehearsal:set(targets) end

---Lets time pass: `t:advance("10s")`.
---@param duration reach.Duration How long.
function rehearsal:advance(duration) end

---Has the machine sleep and wake up: `t:suspend("1h")`.
---@param duration reach.Duration How long.
function rehearsal:suspend(duration) end

---Stops Reach and starts it again; the network stays as it is.
function rehearsal:restart() end

---Reboots the machine; nothing is known of the network then.
function rehearsal:reboot() end

---Loads the script anew, as a changed file has it.
function rehearsal:reload() end

---Says how a command, request, notification or file ends from now on:
---`t:answer("rsync", { code = 1 })`.
---@param text string What the command line, URL, path or title holds.
---@param result reach.TestAnswer How it ends.
function rehearsal:answer(text, result) end

---The last command or URL that holds a text: `assert(t:ran("rsync"))`.
---@param text string A part of it.
---@return (string[]|string)? what The command's words, or the URL; nil where there is none.
function rehearsal:ran(text) end

---The commands that were run, in order.
---@return string[][] commands The words of each.
function rehearsal:commands() end

---The requests that were sent, in order.
---@return reach.SentRequest[] requests Each.
function rehearsal:requests() end

---The notifications that were shown, in order.
---@return reach.ShownNotification[] notifications Each.
function rehearsal:notifications() end

---What was written to files, in order.
---@return reach.WrittenFile[] files Each.
function rehearsal:written() end

---The lines of the log, in order.
---@return string[] lines Each as in `warn backup/nas: no answer`.
function rehearsal:log() end

---The runs that have failed; a test that does not ask for them fails for them.
---@return string[] failures Each with its hook.
function rehearsal:failures() end

---Declares a block of tests: `describe("backup", function() … end)`.
---@param name string What the tests are about.
---@param body fun() Declares them by `it`, and blocks within this one.
function describe(name, body) end

---Declares a test: `it("stops at once", function() … end)`.
---@param name string What must be so.
---@param body fun() Fails by an error.
function it(name, body) end

---Has a function called before each test of the block.
---@param body fun() Is called.
function before_each(body) end

---Has a function called after each test of the block, whether that passed or not.
---@param body fun() Is called.
function after_each(body) end

---Begins to rehearse a hook: `local t = reach.test("backup")`.
---
---Clock and network are the test's own; commands, requests, notifications and files are noted and
---not done. For specs alone.
---@param name string The script beside the spec, or a path from there.
---@param options? reach.RehearsalOptions When it is, and what the script has kept.
---@return reach.Rehearsal t What leads it, and tells what the script did.
function reach.test(name, options) end

---The test fails unless a value is true: `assert(t:ran("rsync"))`.
---@class reach.assert
---@overload fun(value?: any, message?: any): any
assert = {}

---Both are the same value: `assert.equal(2, #t:commands())`.
---@param expected any What it must be.
---@param actual any What it is.
---@param message? string What the report says otherwise.
---@return any actual What it is.
function assert.equal(expected, actual, message) end

---Both look the same, tables by what is in them.
---@param expected any What it must be.
---@param actual any What it is.
---@param message? string What the report says otherwise.
---@return any actual What it is.
function assert.same(expected, actual, message) end

---The value is `true`.
---@param value any What it is.
---@param message? string What the report says otherwise.
---@return any value What it is.
function assert.is_true(value, message) end

---The value is `false`.
---@param value any What it is.
---@param message? string What the report says otherwise.
---@return any value What it is.
function assert.is_false(value, message) end

---The value is nil.
---@param value any What it is.
---@param message? string What the report says otherwise.
---@return any value What it is.
function assert.is_nil(value, message) end

---The function ends with an error.
---@param body fun() Is called.
---@param expected? any The error, or a part of its text.
---@return any error The error.
function assert.has_error(body, expected) end

---The text matches a pattern: `assert.matches("^warn", t:log()[1])`.
---@param pattern string As for `string.find`.
---@param actual string The text.
---@param message? string What the report says otherwise.
---@return string actual The text.
function assert.matches(pattern, actual, message) end
