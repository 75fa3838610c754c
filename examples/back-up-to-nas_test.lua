local t = reach.test "back-up-to-nas"

local by_cable =
  { status = "reachable", via = "wired", address = "192.0.2.7", source = "192.0.2.2" }
local by_wifi = { status = "reachable", via = "wifi", address = "192.0.2.7" }

-- The last line of the log that holds this text, or nil.
local function logged(text)
  local found
  for _, line in ipairs(t:log()) do
    if line:find(text, 1, true) then found = line end
  end
  return found
end

describe("back-up-to-nas", function()
  it("backs up once the cable has held for a second", function()
    t:set { nas = by_cable }
    t:advance "900ms"
    assert.same({}, t:commands())
    t:advance "100ms"
    assert.same({ "rsync", "-a", "/home", "rsync://192.0.2.7" }, t:ran "rsync")
    assert(logged "info back-up-to-nas/back-up: backed up to 192.0.2.7 from 192.0.2.2")
    assert.is_nil(logged "no backup")
  end)

  it("does not back up by WiFi, but when the cable is plugged in then", function()
    t:set { nas = by_wifi }
    t:advance "1h"
    assert.same({}, t:commands())
    t:set { nas = by_cable }
    t:advance "1s"
    assert.equal(1, #t:commands())
  end)

  it("warns when the NAS is lost, with the reason", function()
    t:set { nas = { status = "unreachable", reason = "no-carrier" } }
    assert(logged "warn back-up-to-nas/back-up: no backup to nas: no-carrier")
  end)

  it("never runs two backups at once", function()
    t:answer("rsync", { after = "30m" })
    t:set { nas = by_cable }
    t:advance "1s"
    t:set { nas = by_wifi }
    t:advance "1s"
    t:set { nas = by_cable }
    t:advance "29m"
    assert.equal(1, #t:commands())
  end)

  it("gives a backup an hour", function()
    t:answer("rsync", { after = "59m" })
    t:set { nas = by_cable }
    t:advance "1h"
    assert(logged "backed up")
  end)

  it("ends one that takes longer, and says so", function()
    t:answer("rsync", { after = "61m" })
    t:set { nas = by_cable }
    t:advance "2h"
    assert(logged "ran out of time after 1h")
    assert.is_nil(logged "backed up")
  end)

  it("backs up again when the cable is back", function()
    t:set { nas = by_cable }
    t:advance "1s"
    t:set { nas = "unreachable" }
    t:set { nas = by_cable }
    t:advance "1s"
    assert.equal(2, #t:commands())
  end)
end)
