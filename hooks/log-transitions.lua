-- Writes a line whenever the internet, the local WiFi or a host of yours comes, goes or is reached
-- another way, with how long it had been as before.

local host = "localhost"  -- a host to watch beside them

local function report(e)
  local text = e.target .. " is " .. e.status
  if e.via then text = text .. " via " .. e.via end
  if e.ssid then text = text .. " " .. e.ssid end
  if e.vpn then text = text .. " and a VPN" end
  if e.reason then text = text .. ": " .. e.reason end
  if e.lasted then text = ("%s, after %d s %s"):format(text, e.lasted, e.was) end
  local log = e.status == "reachable" and reach.log.info or reach.log.warn
  log("%s", text)
end

local server = reach.target { host = host, name = host, route = true }
for _, target in ipairs { reach.internet, reach.local_wifi, server } do
  reach.on { target = target, change = report }
end
