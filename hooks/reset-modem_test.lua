local t = reach.test "reset-modem"

-- How often the modem was reset.
local function resets() return #t:commands() end

local function is_logged(text)
  return table.concat(t:log(), "\n"):find(text, 1, true) ~= nil
end

local function is_up()
  t:set { ["modem link"] = "reachable", ["modem line"] = "reachable" }
end
local function is_off()
  t:set { ["modem link"] = "unreachable", ["modem line"] = "unreachable" }
end
local function lets_nothing_through()
  t:set { ["modem line"] = { status = "unreachable", reason = "timeout" } }
end

describe("reset-modem", function()
  before_each(is_up)

  it("resets the modem when nothing has come through it for 2 minutes", function()
    lets_nothing_through()
    t:advance "119s"
    assert.equal(0, resets())
    t:advance "1s"
    assert.same({ "mmcli", "--modem=any", "--reset" }, t:ran "mmcli")
    assert(is_logged "wwan0 is reset: timeout")
  end)

  it("leaves one alone through which something comes again in time", function()
    lets_nothing_through()
    t:advance "119s"
    is_up()
    t:advance "1h"
    assert.equal(0, resets())
  end)

  it("says when the line is back", function()
    lets_nothing_through()
    t:advance "3m"
    assert(not is_logged "wwan0 is back")
    is_up()
    assert(is_logged "wwan0 is back")
  end)

  it("leaves mobile data alone that is switched off", function()
    is_off()
    t:advance "24h"
    assert.equal(0, resets())
  end)

  it("lets 2 minutes pass once it is switched on again", function()
    is_off()
    t:advance "1h"
    t:set { ["modem link"] = "reachable" }
    t:advance "119s"
    assert.equal(0, resets())
    t:advance "1s"
    assert.equal(1, resets())
  end)

  it("waits 3 minutes for the line, and resets it again half an hour later", function()
    lets_nothing_through()
    t:advance "2m"
    t:advance "3m"
    t:advance "1799s"
    assert.equal(1, resets())
    assert(not is_logged "wwan0 is back")
    t:advance "1s"
    assert.equal(2, resets())
  end)

  it("resets nothing again while it is switched off", function()
    lets_nothing_through()
    t:advance "2m"
    is_off()
    t:advance "24h"
    assert.equal(1, resets())
  end)

  it("lets 10 minutes pass after a reset, and 2 more, if the line was back", function()
    lets_nothing_through()
    t:advance "2m"
    is_up()
    lets_nothing_through()
    t:advance "719s"
    assert.equal(1, resets())
    t:advance "1s"
    assert.equal(2, resets())
  end)

  it("gives mmcli a minute, and does not wait for the line if it fails", function()
    t:answer("mmcli", { after = "59s" })
    lets_nothing_through()
    t:advance "2m"
    t:advance "59s"
    assert(not is_logged "ran out of time")
    t:advance "3m"
    t:answer("mmcli", { after = "61s" })
    t:advance "31m"
    assert(is_logged "ran out of time after 1m")
    t:advance "29m"
    assert.equal(2, resets())
    t:advance "1m"
    assert.equal(3, resets())
  end)

  it("keeps the half hour over a restart", function()
    lets_nothing_through()
    t:advance "5m"
    t:restart()
    t:advance "29m"
    assert.equal(1, resets())
    t:advance "1m"
    assert.equal(2, resets())
  end)
end)
