-- Connects a VPN on WiFi that is not yours, once its sign-in page is behind you, and keeps it
-- connected there; disconnects it on yours. Needs NetworkManager.

local vpn = "My VPN"                                        -- its name in `nmcli connection show`
local trusted = { ssid = { "Home", "Home 5G" } }            -- names can be imitated: add gateway_mac
local page = "http://detectportal.firefox.com/success.txt"  -- is asked for, over plain http
local text = "success"                                      -- what it holds

local home = reach.target { network = trusted, name = "trusted WiFi" }
-- One answer decides: a sign-in page must be noticed before the VPN would hide it.
local internet = reach.target {
  internet = true, name = "open internet", http = page, expect = text, fall = 1, rise = 1,
}

local function is_connected()
  return reach.run { "nmcli", "-g", "GENERAL.STATE", "connection", "show", vpn }.stdout ~= ""
end

reach.on {
  name = "connect",
  target = home,
  given = reach.all { reach.local_wifi, internet },
  stable = "3s",
  again = "2m",
  unreachable = function()
    if is_connected() then return end
    reach.store.is_ours = true
    reach.run { "nmcli", "connection", "up", vpn }
  end,
}

reach.on {
  name = "disconnect",
  target = home,
  stable = "3s",
  reachable = function()
    if not reach.store.is_ours then return end
    if is_connected() and not reach.run { "nmcli", "connection", "down", vpn }.ok then return end
    reach.store.is_ours = nil
  end,
}
