-- Lets a job run only while all that it could send to the internet goes through a VPN. What it
-- stops it starts again. It acts within milliseconds, but afterwards; a firewall acts before.

local unit = "transmission.service"  -- the systemd unit to guard
local manager = "--user"             -- "--system" for a unit of the system

-- The ways out; a VPN may carry the first alone.
local ways = {
  reach.target { name = "IPv4", address = "1.1.1.1", route = true },
  reach.target { name = "IPv6", address = "2606:4700:4700::1111", route = true },
}

local function is_safe()
  local has_way = false
  for _, way in ipairs(ways) do
    local is_open = way.status == "reachable"
    if is_open and not way.vpn then return false end
    has_way = has_way or is_open
  end
  return has_way
end

local function systemctl(verb, ...)
  return reach.run { "systemctl", manager, verb, unit, ... }
end

local function stop()
  local state = systemctl("show", "--property=ActiveState", "--value").stdout
  if not state:find("^activ") then return end -- neither active nor activating
  reach.store.stopped = true
  if systemctl("stop").ok then reach.log.warn("%s is stopped: no VPN", unit) end
end

local function start()
  if not reach.store.stopped or not systemctl("start").ok then return end
  reach.store.stopped = nil
  reach.log.info("%s is started", unit)
end

local is_guarding = false

local function guard()
  if is_guarding then return end -- who guards looks again
  is_guarding = true
  local _ <close> = setmetatable({}, { __close = function() is_guarding = false end })
  local was_safe
  repeat
    was_safe = is_safe()
    if was_safe then start() else stop() end
  until was_safe == is_safe()
end

for _, way in ipairs(ways) do
  reach.on { target = way, initial = true, reachable = guard, unreachable = guard, change = guard }
end
