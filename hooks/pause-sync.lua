-- Stops a sync job while there is no internet, or only one that is mobile or metered, and starts it
-- again once better has held for a while. What it did not stop it does not start.

local unit = "syncthing.service"  -- the systemd unit that syncs
local manager = "--user"          -- "--system" for a unit of the system
local patience = "10s"            -- how long better must have held

local function systemctl(verb, ...)
  return reach.run { "systemctl", manager, verb, unit, ... }
end

reach.on {
  name = "pause-sync",
  target = reach.target { internet = true, name = "free internet", wwan = false, metered = false },
  stable = { reachable = patience },
  unreachable = function(e)
    local state = systemctl("show", "--property=ActiveState", "--value").stdout
    if not state:find("^activ") then return end -- neither active nor activating
    reach.store.paused = true
    if systemctl("stop").ok then reach.log.info("%s is stopped: %s", unit, e.reason) end
  end,
  reachable = function(e)
    if not reach.store.paused or not systemctl("start").ok then return end
    reach.store.paused = nil
    reach.log.info("%s is started: reachable via %s", unit, e.via)
  end,
}
