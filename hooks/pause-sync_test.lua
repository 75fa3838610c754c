local t = reach.test "pause-sync"

-- What systemctl was told, but for the questions how the job is.
local function told()
  local verbs = {}
  for _, command in ipairs(t:commands()) do
    if command[3] ~= "show" then verbs[#verbs + 1] = command[3] end
  end
  return verbs
end

local function lose() t:set { ["free internet"] = "unreachable" } end
local function return_by(via) t:set { ["free internet"] = { status = "reachable", via = via } } end
local function job_is(state) t:answer("ActiveState", { stdout = state .. "\n" }) end

describe("pause-sync", function()
  before_each(function()
    job_is "active"
    return_by "wired"
    t:advance "10s"
  end)

  it("does nothing while the internet is there", function()
    assert.same({}, t:commands())
  end)

  it("stops the job at once when the internet is lost", function()
    lose()
    assert.same({ "systemctl", "--user", "stop", "syncthing.service" }, t:ran "stop")
    assert.matches("syncthing.service is stopped: no%-route", table.concat(t:log(), "\n"))
  end)

  it("stops it on mobile data", function()
    return_by "wwan"
    assert.same({ "stop" }, told())
  end)

  it("stops it on an internet that is metered", function()
    t:set { ["free internet"] = { status = "reachable", via = "wifi", metered = true } }
    assert.same({ "stop" }, told())
  end)

  it("stops a job that is about to run", function()
    job_is "activating"
    lose()
    assert.same({ "stop" }, told())
  end)

  it("starts it again when better has held for 10 s", function()
    lose()
    return_by "wifi"
    t:advance "9s"
    assert.same({ "stop" }, told())
    t:advance "1s"
    assert.same({ "systemctl", "--user", "start", "syncthing.service" }, t:ran "start")
    assert.matches("is started: reachable via wifi", table.concat(t:log(), "\n"))
  end)

  it("waits anew when the internet goes meanwhile", function()
    lose()
    return_by "wifi"
    t:advance "9s"
    lose()
    return_by "wifi"
    t:advance "9s"
    assert.same({ "stop" }, told())
    t:advance "1s"
    assert.same({ "stop", "start" }, told())
  end)

  it("leaves a job alone that does not run", function()
    job_is "inactive"
    lose()
    return_by "wired"
    t:advance "10s"
    assert.same({}, told())
  end)

  it("does not start what somebody else has stopped since", function()
    lose()
    return_by "wired"
    t:advance "10s"
    job_is "inactive"
    lose()
    return_by "wired"
    t:advance "10s"
    assert.same({ "stop", "start" }, told())
  end)

  it("starts what it stopped before a restart", function()
    lose()
    t:restart()
    return_by "wired"
    t:advance "10s"
    assert.same({ "stop", "start" }, told())
  end)

  it("stops what a reboot has started, where there is no internet", function()
    lose()
    t:reboot()
    lose()
    assert.same({ "stop", "stop" }, told())
  end)

  it("stops nothing when the internet is back a second after the machine woke up", function()
    t:suspend "8h"
    lose()
    t:advance "1s"
    return_by "wifi"
    t:advance "10s"
    assert.same({}, told())
  end)

  it("starts a job, too, of which systemctl would not say that it had stopped", function()
    t:answer(" stop ", { ok = false, stderr = "timed out" })
    lose()
    assert(not table.concat(t:log(), "\n"):find("is stopped", 1, true))
    return_by "wired"
    t:advance "10s"
    assert.same({ "stop", "start" }, told())
  end)

  it("tries again with the next return if the start fails", function()
    lose()
    job_is "inactive"
    t:answer(" start ", { ok = false, stderr = "no such unit" })
    return_by "wired"
    t:advance "10s"
    lose()
    return_by "wired"
    t:advance "10s"
    assert.same({ "stop", "start", "start" }, told())
    assert(not table.concat(t:log(), "\n"):find("is started", 1, true))
  end)
end)
