local t = reach.test "choose-mirror"

-- Which mirrors were told, in their order.
local function told()
  local names = {}
  for _, line in ipairs(t:log()) do names[#names + 1] = line:match ": mirror: (.*)" end
  return names
end

describe("choose-mirror", function()
  it("takes the one at home at once", function()
    t:set { ["192.0.2.7"] = "reachable", ["198.51.100.7"] = "reachable" }
    t:advance "1m"
    assert.same({ "192.0.2.7" }, told())
  end)

  it("takes the far one once it has held for a second", function()
    t:set { ["198.51.100.7"] = "reachable" }
    t:advance "900ms"
    assert.same({}, told())
    t:advance "100ms"
    assert.same({ "198.51.100.7" }, told())
  end)

  it("does not take the far one over mobile data, but the one at home", function()
    t:set { ["198.51.100.7"] = { status = "reachable", via = "wwan" } }
    t:advance "1m"
    assert.same({}, told())
    t:set { ["192.0.2.7"] = { status = "reachable", via = "wwan" } }
    assert.same({ "192.0.2.7" }, told())
  end)

  it("takes the other when one is lost, and the first again when that is back", function()
    t:set { ["192.0.2.7"] = "reachable", ["198.51.100.7"] = "reachable" }
    t:advance "1s"
    t:set { ["192.0.2.7"] = "unreachable" }
    t:set { ["192.0.2.7"] = "reachable" }
    assert.same({ "192.0.2.7", "198.51.100.7", "192.0.2.7" }, told())
  end)

  it("says at once when there is none left, and which one is there again", function()
    t:set { ["198.51.100.7"] = "reachable" }
    t:advance "1s"
    t:set { ["198.51.100.7"] = "unreachable" }
    assert.same({ "198.51.100.7", "none" }, told())
    t:set { ["198.51.100.7"] = "reachable" }
    t:advance "1s"
    assert.same({ "198.51.100.7", "none", "198.51.100.7" }, told())
  end)

  it("says nothing where there has been none", function()
    t:set { ["192.0.2.7"] = "unreachable", ["198.51.100.7"] = "unreachable" }
    assert.same({}, told())
  end)

  it("knows what is reachable when it is loaded anew", function()
    t:set { ["192.0.2.7"] = "reachable" }
    t:reload()
    assert.same({ "192.0.2.7", "192.0.2.7" }, told())
  end)
end)
