-- Writes a line whenever the internet, the local WiFi or a host of yours comes or goes.

local host = "localhost"  -- a host to watch beside them

local function report(e)
  if e.status == "unreachable" then
    reach.log.warn("%s is unreachable: %s", e.target, e.reason)
  elseif e.was == "reachable" then
    reach.log.info("%s is now reached via %s instead of %s", e.target, e.via, e.was_via)
  else
    reach.log.info("%s is reachable via %s", e.target, e.via)
  end
end

local server = reach.target { host = host, name = host, route = true }
for _, target in ipairs { reach.internet, reach.local_wifi, server } do
  reach.on { target = target, change = report }
end
