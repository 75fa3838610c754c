local t = reach.test "vpn-on-untrusted-wifi"

-- What NetworkManager was told, but for the questions how the VPN is.
local function told()
  local verbs = {}
  for _, command in ipairs(t:commands()) do
    if command[2] == "connection" then verbs[#verbs + 1] = command[3] end
  end
  return verbs
end

local function vpn_is(state) t:answer("GENERAL.STATE", { stdout = state }) end

local function is_at_home()
  t:set {
    ["trusted WiFi"] = { status = "reachable", via = "wifi", ssid = "Home" },
    local_wifi = "reachable",
    ["open internet"] = "reachable",
  }
end

-- On WiFi of others, with this status of the internet.
local function is_in_cafe(status)
  t:set {
    ["trusted WiFi"] = { status = "unreachable", reason = "network-differs" },
    local_wifi = "reachable",
    ["open internet"] = status or "reachable",
  }
end

local function is_wired()
  t:set {
    ["trusted WiFi"] = { status = "unreachable", reason = "interface-missing" },
    local_wifi = "unreachable",
    ["open internet"] = "reachable",
  }
end

describe("vpn-on-untrusted-wifi", function()
  before_each(function() vpn_is "" end)

  it("connects the VPN on WiFi that is not yours, once that has held for 3 s", function()
    is_in_cafe()
    t:advance "2s"
    assert.same({}, told())
    t:advance "1s"
    assert.same({ "nmcli", "connection", "up", "My VPN" }, t:ran " up ")
  end)

  it("does not connect it on yours", function()
    is_at_home()
    t:advance "1h"
    assert.same({}, told())
  end)

  it("does not connect it by cable", function()
    is_wired()
    t:advance "1h"
    assert.same({}, told())
  end)

  it("waits until a sign-in page is behind you", function()
    is_in_cafe "portal"
    t:advance "1h"
    assert.same({}, told())
    is_in_cafe()
    t:advance "3s"
    assert.same({ "up" }, told())
  end)

  it("connects it again there within 2 minutes if it ends", function()
    is_in_cafe()
    t:advance "3s"
    vpn_is "activated"
    t:advance "1h"
    assert.same({ "up" }, told())
    vpn_is ""
    t:advance "2m"
    assert.same({ "up", "up" }, told())
  end)

  it("disconnects it at home, once you have been there for 3 s", function()
    is_in_cafe()
    t:advance "3s"
    vpn_is "activated"
    is_at_home()
    t:advance "2s"
    assert.same({ "up" }, told())
    t:advance "1s"
    assert.same({ "nmcli", "connection", "down", "My VPN" }, t:ran " down ")
  end)

  it("leaves a VPN alone at home that it has not connected", function()
    vpn_is "activated"
    is_in_cafe()
    t:advance "3s"
    is_at_home()
    t:advance "3s"
    assert.same({}, told())
  end)

  it("leaves a VPN alone that somebody else connects after that", function()
    is_in_cafe()
    t:advance "3s"
    vpn_is "activated"
    is_at_home()
    t:advance "3s"
    is_wired()
    t:advance "3s"
    is_at_home()
    t:advance "3s"
    assert.same({ "up", "down" }, told())
  end)

  it("has nothing to disconnect where the VPN has ended before", function()
    is_in_cafe()
    t:advance "3s"
    is_at_home()
    t:advance "3s"
    assert.same({ "up" }, told())
  end)

  it("forgets such a VPN: one that somebody else connects later stays", function()
    is_in_cafe()
    t:advance "3s"
    is_at_home()
    t:advance "3s"
    vpn_is "activated"
    is_wired()
    t:advance "3s"
    is_at_home()
    t:advance "3s"
    assert.same({ "up" }, told())
  end)

  it("tries again at the next return if it cannot be disconnected", function()
    is_in_cafe()
    t:advance "3s"
    vpn_is "activated"
    t:answer(" down ", { ok = false })
    is_at_home()
    t:advance "3s"
    is_in_cafe()
    t:advance "3s"
    is_at_home()
    t:advance "3s"
    assert.same({ "up", "down", "down" }, told())
  end)

  it("disconnects at home what it connected before a restart", function()
    is_in_cafe()
    t:advance "3s"
    vpn_is "activated"
    t:restart()
    is_at_home()
    t:advance "3s"
    assert.same({ "up", "down" }, told())
  end)

  it("connects after a reboot on WiFi that is not yours", function()
    is_in_cafe()
    t:advance "3s"
    t:reboot()
    is_in_cafe()
    t:advance "3s"
    assert.same({ "up", "up" }, told())
  end)

  it("disconnects it when the machine falls asleep in a café and wakes up at home", function()
    is_in_cafe()
    t:advance "3s"
    vpn_is "activated"
    t:suspend "2h"
    is_at_home()
    t:advance "3s"
    assert.same({ "up", "down" }, told())
  end)
end)
