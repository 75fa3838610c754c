local t = reach.test "log-transitions"

-- The last line of the log that the hook has written.
local function line()
  local last
  for _, text in ipairs(t:log()) do
    local is_own = text:find(" log-transitions/", 1, true)
    if is_own and not text:find(": finished after", 1, true) then last = text end
  end
  return last
end

describe("log-transitions", function()
  before_each(function()
    t:set { internet = { status = "reachable", via = "wired" } }
  end)

  it("tells how the internet is at first", function()
    assert.equal("info log-transitions/internet: internet is reachable via wired", line())
  end)

  it("warns of a loss, with its reason and how long it had been good", function()
    t:advance "90s"
    t:set { internet = { status = "unreachable", reason = "no-carrier" } }
    assert.equal(
      "warn log-transitions/internet: internet is unreachable: no-carrier, after 90 s reachable",
      line())
  end)

  it("tells of the return, and how long it was away", function()
    t:set { internet = "unreachable" }
    t:advance "1h"
    t:set { internet = { status = "reachable", via = "wwan" } }
    assert.equal(
      "info log-transitions/internet: internet is reachable via wwan, after 3600 s unreachable",
      line())
  end)

  it("tells of another way", function()
    t:set { internet = { status = "reachable", via = "wifi", ssid = "Home" } }
    assert.equal("info log-transitions/internet: internet is reachable via wifi Home", line())
  end)

  it("tells of a VPN", function()
    t:set { internet = { vpn = true } }
    assert.equal("info log-transitions/internet: internet is reachable via wired and a VPN", line())
  end)

  it("warns of a host that is lost", function()
    t:set { localhost = { status = "unreachable", reason = "dns" } }
    assert.equal("warn log-transitions/localhost: localhost is unreachable: dns", line())
  end)

  it("tells of the local WiFi", function()
    t:set { local_wifi = { status = "reachable", via = "wifi", ssid = "Home" } }
    assert.equal("info log-transitions/local_wifi: local_wifi is reachable via wifi Home", line())
  end)
end)
