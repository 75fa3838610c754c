local t = reach.test "leak-guard"

-- What systemctl was told, but for the questions how the job is.
local function told()
  local verbs = {}
  for _, command in ipairs(t:commands()) do
    if command[3] ~= "show" then verbs[#verbs + 1] = command[3] end
  end
  return verbs
end

local open = { status = "reachable", via = "wifi", vpn = false }
local tunnelled = { status = "reachable", via = "wifi", vpn = true }

local function job_is(state) t:answer("ActiveState", { stdout = state .. "\n" }) end

describe("leak-guard", function()
  before_each(function()
    job_is "active"
    t:set { IPv4 = tunnelled, IPv6 = tunnelled }
  end)

  it("lets the job run while all goes through a VPN", function()
    assert.same({}, told())
  end)

  it("lets it run through a VPN for IPv4 where there is no IPv6", function()
    t:set { IPv6 = "unreachable" }
    assert.same({}, told())
  end)

  it("stops it once, at once, when the VPN ends", function()
    t:set { IPv4 = open, IPv6 = open }
    assert.same({ "stop" }, told())
    assert.same({ "systemctl", "--user", "stop", "transmission.service" }, t:ran " stop ")
    assert.matches("transmission.service is stopped: no VPN", table.concat(t:log(), "\n"))
  end)

  it("stops it when IPv6 goes past the VPN", function()
    t:set { IPv6 = open }
    assert.same({ "stop" }, told())
  end)

  it("stops it when there is no way out", function()
    t:set { IPv4 = "unreachable", IPv6 = "unreachable" }
    assert.same({ "stop" }, told())
  end)

  it("stops a job that is about to run", function()
    job_is "activating"
    t:set { IPv4 = open }
    assert.same({ "stop" }, told())
  end)

  it("starts it when all goes through a VPN again", function()
    t:set { IPv4 = open, IPv6 = open }
    t:set { IPv4 = tunnelled }
    job_is "inactive"
    t:set { IPv6 = "unreachable" }
    assert.same({ "systemctl", "--user", "start", "transmission.service" }, t:ran " start ")
    assert.matches("transmission.service is started", table.concat(t:log(), "\n"))
  end)

  it("does not start a job that did not run", function()
    job_is "inactive"
    t:set { IPv4 = open }
    t:set { IPv4 = tunnelled }
    assert.same({}, told())
  end)

  it("does not start what somebody else has stopped since", function()
    t:set { IPv4 = open }
    t:set { IPv4 = tunnelled }
    job_is "inactive"
    t:set { IPv4 = open }
    t:set { IPv4 = tunnelled }
    assert.same({ "stop", "start" }, told())
  end)

  it("looks again when the VPN ends while the job is started", function()
    t:set { IPv4 = open }
    t:answer(" start ", { after = "5s" })
    t:set { IPv4 = tunnelled }
    t:advance "1s"
    t:set { IPv6 = open }
    t:advance "4s"
    assert.same({ "stop", "start", "stop" }, told())
  end)

  it("starts what it stopped before a restart", function()
    t:set { IPv4 = open }
    job_is "inactive"
    t:restart()
    t:set { IPv4 = tunnelled }
    assert.same({ "stop", "start" }, told())
  end)

  it("stops, when it is loaded, what was started in spite of it", function()
    t:set { IPv4 = open }
    t:restart()
    assert.same({ "stop", "stop" }, told())
  end)

  it("stops such a job, too, where there is no way out", function()
    t:set { IPv4 = "unreachable", IPv6 = "unreachable" }
    t:reload()
    assert.same({ "stop", "stop" }, told())
  end)

  it("tries again with the next change if a stop fails", function()
    t:answer(" stop ", { ok = false, stderr = "timed out" })
    t:set { IPv4 = open }
    assert(not table.concat(t:log(), "\n"):find("is stopped", 1, true))
    t:set { IPv6 = open }
    assert.same({ "stop", "stop" }, told())
  end)

  it("tries again with the next change if a start fails", function()
    t:set { IPv4 = open }
    t:answer(" start ", { ok = false, stderr = "no such unit" })
    t:set { IPv4 = tunnelled }
    t:set { IPv6 = "unreachable" }
    assert.same({ "stop", "start", "start" }, told())
    assert(not table.concat(t:log(), "\n"):find("is started", 1, true))
  end)

  it("guards on after a run that was cancelled at its deadline", function()
    t:answer(" stop ", { after = "20s" })
    t:answer(" start ", { after = "20s" })
    t:set { IPv4 = open }
    t:advance "10s"
    for _ = 1, 8 do -- the way is another one whenever a command has ended
      t:set { IPv4 = tunnelled }
      t:advance "20s"
      t:set { IPv4 = open }
      t:advance "20s"
    end
    assert.matches("deadline", t:failures()[1])
    t:advance "1m"
    t:set { IPv4 = tunnelled }
    assert.equal("start", told()[#told()])
  end)
end)
