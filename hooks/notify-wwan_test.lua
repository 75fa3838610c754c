local t = reach.test "notify-wwan"

local wired = { status = "reachable", via = "wired", interface = "eth0" }
local mobile = { status = "reachable", via = "wwan", interface = "wwan0" }

local begun = {
  title = "Mobile data", body = "The internet is reached over wwan0 now.", urgency = "normal",
  replace = true,
}
local over = {
  title = "Mobile data", body = "Mobile data is not used any more.", urgency = "normal",
  replace = true, -- it takes the place of the other
}

describe("notify-wwan", function()
  before_each(function()
    t:set { internet = wired }
    t:advance "5s"
  end)

  it("shows nothing of other ways", function()
    t:set { internet = { status = "reachable", via = "wifi" } }
    t:advance "5s"
    t:set { internet = "unreachable" }
    t:advance "5s"
    assert.same({}, t:notifications())
  end)

  it("shows that traffic falls back to mobile data once that has held for 5 s", function()
    t:set { internet = mobile }
    t:advance "4s"
    assert.same({}, t:notifications())
    t:advance "1s"
    assert.same({ begun }, t:notifications())
  end)

  it("shows that mobile data is over, too", function()
    t:set { internet = mobile }
    t:advance "5s"
    t:set { internet = wired }
    t:advance "4s"
    assert.same({ begun }, t:notifications())
    t:advance "1s"
    assert.same({ begun, over }, t:notifications())
  end)

  it("shows the same when mobile data is lost with nothing in its place", function()
    t:set { internet = mobile }
    t:advance "5s"
    t:set { internet = "unreachable" }
    t:advance "5s"
    assert.same({ begun, over }, t:notifications())
  end)

  it("shows nothing of a fallback of 4 s", function()
    t:set { internet = mobile }
    t:advance "4s"
    t:set { internet = wired }
    t:advance "1m"
    assert.same({}, t:notifications())
  end)

  it("shows one notification for a modem, whatever else about it changes", function()
    t:set { internet = mobile }
    t:advance "5s"
    t:set { internet = { gateway = "192.0.2.1" } }
    t:advance "5s"
    assert.same({ begun }, t:notifications())
  end)

  it("shows nothing anew after a restart", function()
    t:set { internet = mobile }
    t:advance "5s"
    t:restart()
    t:advance "5s"
    assert.same({ begun }, t:notifications())
  end)

  it("shows after a reboot that the internet is mobile data", function()
    t:reboot()
    t:set { internet = mobile }
    t:advance "5s"
    assert.same({ begun }, t:notifications())
  end)
end)
