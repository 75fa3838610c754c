-- Stops a sync job while there is no internet, or only mobile data, and starts it again once WiFi
-- or a cable has held for ten seconds.

local unit = "syncthing.service"            -- the systemd unit that syncs
local systemctl = { "systemctl", "--user" } -- { "systemctl" } for a unit of the system

local function tell(verb)
  local command = { table.unpack(systemctl) }
  command[#command + 1] = verb
  command[#command + 1] = unit
  local result = reach.run(command)
  if result.ok then reach.log.info("%s: %s", unit, verb) end
end

local function pause() tell("stop") end
local function resume() tell("start") end

reach.on {
  name = "pause-sync",
  target = reach.target { internet = true, name = "unmetered internet", wwan = false },
  unreachable = pause,
  reachable = resume,
  stable = { unreachable = "0s", reachable = "10s" },
}
