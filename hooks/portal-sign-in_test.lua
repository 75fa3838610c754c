local t = reach.test "portal-sign-in"

local signed_in = { status = "reachable", via = "wifi" }
local portal = { status = "portal", via = "wifi", url = "http://wifi.example/in" }

describe("portal-sign-in", function()
  it("opens the sign-in page as soon as the network shows it", function()
    t:set { ["open internet"] = portal }
    assert.same(
      { "systemd-run", "--user", "--quiet", "--collect", "xdg-open", "http://wifi.example/in" },
      t:ran "xdg-open")
  end)

  it("opens the page that it asked for where the network names none", function()
    t:set { ["open internet"] = "portal" }
    assert(t:ran "xdg-open http://detectportal.firefox.com/success.txt")
  end)

  it("opens nothing on a network without one, nor when that is lost", function()
    t:set { ["open internet"] = signed_in }
    t:set { ["open internet"] = "unreachable" }
    assert.same({}, t:commands())
  end)

  it("hands each dollar of the page's URL to systemd as it wants it", function()
    t:set { ["open internet"] = { status = "portal", url = "http://wifi.example/$a/$b" } }
    assert(t:ran "http://wifi.example/$$a/$$b")
  end)

  it("opens it again when the network has forgotten you", function()
    t:set { ["open internet"] = portal }
    t:set { ["open internet"] = signed_in }
    t:advance "1h"
    t:set { ["open internet"] = portal }
    assert.equal(2, #t:commands())
  end)

  it("opens one page in 2 minutes, however often the link bounces", function()
    t:set { ["open internet"] = portal }
    for _ = 1, 5 do
      t:advance "20s"
      t:set { ["open internet"] = "unreachable" }
      t:set { ["open internet"] = portal }
    end
    assert.equal(1, #t:commands())
    t:advance "20s"
    assert.equal(2, #t:commands())
  end)

  it("opens nothing anew after a restart", function()
    t:set { ["open internet"] = portal }
    t:restart()
    assert.equal(1, #t:commands())
  end)

  it("opens it after a reboot", function()
    t:set { ["open internet"] = portal }
    t:reboot()
    t:advance "1h"
    t:set { ["open internet"] = portal }
    assert.equal(2, #t:commands())
  end)
end)
