-- Resets a modem whose link is up while nothing comes through it, again each half hour while that
-- lasts. Mobile data that is switched off stays so. Needs ModemManager, and root.

local interface = "wwan0"    -- the modem's
local modem = "any"          -- its number in `mmcli --list-modems`
local probe = "1.1.1.1:443"  -- must take connections through it; costs some hundred bytes each time
local every = "1m"           -- how often
local patience = "2m"        -- how long nothing must have come through

local line = reach.target { interface = interface, name = "modem line", tcp = probe, every = every }

reach.on {
  name = "reset-modem",
  target = line,
  given = reach.target { interface = interface, name = "modem link" },
  stable = { unreachable = patience },
  again = { unreachable = "30m" },
  apart = { unreachable = "10m" },
  unreachable = function(e)
    reach.log.warn("%s is reset: %s", interface, e.reason)
    if not reach.run { "mmcli", "--modem=" .. modem, "--reset", timeout = "1m" }.ok then return end
    if line:wait("reachable", "3m") then reach.log.info("%s is back", interface) end
  end,
}
