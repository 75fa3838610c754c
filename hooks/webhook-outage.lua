-- Tells a webhook of each outage once it is over: when it began, how long it was, and why. What is
-- not delivered is kept, over restarts too, and tried again.

local url = "https://example.org/outages"  -- takes JSON; reach.secret "NAME" if it must be hidden
local shortest = 30                         -- outages of fewer seconds are none
local patience = "10s"                      -- how long an outage must be over
local probe = "1.1.1.1:443"                 -- takes connections while the line behind the router works

local line = reach.target { internet = true, name = "line", tcp = probe }

reach.on {
  name = "webhook-outage",
  target = line,
  stable = { unreachable = shortest, reachable = patience },
  initial = true,  -- what is left is delivered after each start
  mode = "queue",  -- no outage is missed while the report of another is tried again
  deadline = "24h",
  unreachable = function(e)
    -- What is told later than `shortest` has waited for the machine to wake up. It was missed since.
    local began = e.at - e.since > shortest + 1 and e.at or e.since
    reach.store.outage = reach.store.outage or { began = began, reason = e.reason }
  end,
  reachable = function(e)
    local outage, reports = reach.store.outage, reach.store.reports or {}
    reach.store.outage, reach.store.reports = nil, reports
    if outage and e.since - outage.began >= shortest then
      outage.host = reach.hostname
      outage.seconds = e.since - outage.began
      outage.text = ("%s was offline for %d s from %s: %s"):format(
        outage.host, outage.seconds, os.date("%F %T", outage.began), outage.reason)
      reports[#reports + 1] = outage
      if #reports > 100 then table.remove(reports, 1) end
    end
    local pause = 10
    -- After a shorter loss nobody would call this hook again.
    while reports[1] and line:wait("reachable", shortest) do
      if reach.http { url = url, json = reports[1] }.ok then
        table.remove(reports, 1)
      else
        line:wait("unreachable", pause)
        pause = math.min(2 * pause, 3600)
      end
    end
  end,
}
