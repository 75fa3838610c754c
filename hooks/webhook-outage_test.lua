local t = reach.test("webhook-outage", { at = "2026-01-05T11:00:00" })

local function lose(reason)
  t:set { line = { status = "unreachable", reason = reason or "timeout" } }
end
local function is_back() t:set { line = "reachable" } end

-- Goes through an outage until 10 s after its end.
local function outage(duration, reason)
  lose(reason)
  t:advance(duration)
  is_back()
  t:advance "10s"
end

-- The report that was sent last.
local function report()
  local requests = t:requests()
  return reach.json.decode(requests[#requests].body)
end

describe("webhook-outage", function()
  before_each(function()
    is_back()
    t:advance "1h"
  end)

  it("tells of an outage once it has been over for 10 s", function()
    lose "no-carrier"
    t:advance "1h"
    is_back()
    t:advance "9s"
    assert.same({}, t:requests())
    t:advance "1s"
    assert.equal("https://example.org/outages", t:ran "outages")
    assert.same({
      host = reach.hostname,
      began = os.time { year = 2026, month = 1, day = 5, hour = 12 },
      seconds = 3600,
      reason = "no-carrier",
      text = reach.hostname .. " was offline for 3600 s from 2026-01-05 12:00:00: no-carrier",
    }, report())
  end)

  it("tells of none of less than 30 s", function()
    outage "29s"
    t:advance "1h"
    assert.same({}, t:requests())
  end)

  it("tells of one of 30 s", function()
    outage "30s"
    assert.equal(30, report().seconds)
  end)

  it("takes a return of less than 10 s for a part of the outage", function()
    lose()
    t:advance "1m"
    is_back()
    t:advance "9s"
    outage "1m"
    assert.equal(1, #t:requests())
    assert.equal(129, report().seconds)
  end)

  it("tells of each outage once", function()
    outage "1m"
    outage "2m"
    assert.equal(2, #t:requests())
    assert.equal(120, report().seconds)
  end)

  it("tries again what is not delivered, after a time that doubles up to an hour", function()
    t:answer("example.org", { status = 503 })
    outage "1m"
    t:advance "9s"
    assert.equal(1, #t:requests())
    t:advance "1s"
    assert.equal(2, #t:requests())
    t:advance "20s"
    assert.equal(3, #t:requests())
    t:advance "3h"
    local before = #t:requests()
    t:advance "3h"
    assert.equal(before + 3, #t:requests())
  end)

  it("keeps it while another outage goes on, and then tells of both at once", function()
    t:answer("example.org", { error = "no answer" })
    outage("1m", "timeout")
    t:advance "3h"
    local before = #t:requests()
    t:answer("example.org", { status = 204 })
    lose "no-carrier"
    t:advance "2m"
    assert.equal(before, #t:requests())
    is_back()
    t:advance "10s"
    assert.equal(before + 2, #t:requests())
    assert.equal("no-carrier", report().reason)
  end)

  it("tries on after a loss that is no outage", function()
    t:answer("example.org", { status = 503 })
    outage "1m"
    lose()
    t:answer("example.org", { status = 204 })
    t:advance "29s"
    is_back()
    assert.equal(2, #t:requests())
  end)

  it("misses no outage while it waits for an answer", function()
    t:answer("example.org", { status = 503, after = "25s" })
    outage "1m"
    t:answer("example.org", { status = 204, after = "25s" })
    lose()
    t:advance "49s"
    is_back()
    t:advance "1m"
    assert.equal(3, #t:requests())
    assert.equal(49, report().seconds)
  end)

  it("keeps it over a restart", function()
    t:answer("example.org", { status = 503 })
    outage "1m"
    t:answer("example.org", { status = 204 })
    t:restart()
    t:advance "10s"
    assert.equal(60, report().seconds)
  end)

  it("tries for a day, and again after the next start", function()
    t:answer("example.org", { status = 503 })
    outage "1m"
    t:advance "24h"
    assert.matches("deadline", t:failures()[1])
    local before = #t:requests()
    t:answer("example.org", { status = 204 })
    t:advance "24h"
    assert.equal(before, #t:requests())
    t:restart()
    t:advance "10s"
    assert.equal(before + 1, #t:requests())
  end)

  it("keeps an outage over a reboot in its midst", function()
    lose()
    t:advance "1m"
    t:reboot()
    lose()
    t:advance "1m"
    is_back()
    t:advance "10s"
    assert.equal(120, report().seconds)
  end)

  it("sends nothing anew that was delivered", function()
    outage "1m"
    t:restart()
    t:advance "1h"
    assert.equal(1, #t:requests())
  end)

  it("tells of an outage that is there when the machine wakes up, from then on", function()
    t:suspend "8h"
    lose()
    t:advance "1m"
    is_back()
    t:advance "10s"
    assert.equal(58, report().seconds) -- for 2 s after waking nothing is lost
  end)

  it("counts from the waking where the line was lost just before the machine slept", function()
    lose()
    t:advance "5s"
    t:suspend "8h"
    t:advance "1m"
    is_back()
    t:advance "10s"
    assert.equal(58, report().seconds)
  end)

  it("tells of no outage that only a sleep made long", function()
    lose()
    t:advance "5s"
    t:suspend "8h"
    t:advance "5s"
    is_back()
    t:advance "1h"
    assert.same({}, t:requests())
  end)

  it("keeps the last hundred", function()
    local reports = {}
    for number = 1, 99 do reports[number] = { seconds = number } end
    local full = reach.test("webhook-outage", { store = { reports = reports } })
    full:answer("example.org", { status = 503 })
    for seconds = 100, 101 do
      full:set { line = "unreachable" }
      full:advance(seconds)
      full:set { line = "reachable" }
      full:advance "10s"
    end
    local before = #full:requests()
    full:answer("example.org", { status = 204 })
    full:advance "1m"
    local delivered = table.move(full:requests(), before + 1, #full:requests(), 1, {})
    assert.equal(100, #delivered)
    assert.equal(2, reach.json.decode(delivered[1].body).seconds)
    assert.equal(101, reach.json.decode(delivered[100].body).seconds)
  end)
end)
