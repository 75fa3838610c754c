/// The hook that `reach new` writes, with its spec.
enum HookTemplate {
  /// Both, by their paths.
  static func files(named name: String) -> [(path: String, text: String)] {
    [("\(name).lua", hook(name)), ("\(name)_test.lua", spec(name))]
  }

  private static func hook(_ name: String) -> String {
    """
    -- Runs a command at once when the internet is lost, and another when it is back for good.

    local lost = { "logger", "the internet is lost" }  -- what is run when it is lost
    local back = { "logger", "the internet is back" }  -- what is run when it is back
    local patience = "10s"                             -- how long it must have been back

    reach.on {
      name = "\(name)",
      target = reach.internet,  -- or a host: reach.target { host = "nas.lan", tcp = 22 }
      stable = { reachable = patience },
      unreachable = function(e)
        reach.log.warn("lost: %s", e.reason)
        reach.run(lost)
      end,
      reachable = function(e)
        if e.was ~= "unreachable" then return end -- it was never lost
        reach.log.info("back via %s after %d s", e.via, e.lasted)
        reach.run(back)
      end,
    }

    """
  }

  private static func spec(_ name: String) -> String {
    """
    -- What \(name).lua does, with a clock and a network of the spec's own: no command is run.

    describe("\(name)", function()
      local t

      before_each(function()
        t = reach.test("\(name)")
        t:set { internet = { status = "reachable", via = "wifi" } }
        t:advance("1m")
      end)

      it("runs nothing while the internet is there", function()
        assert.same({}, t:commands())
      end)

      it("runs a command at once when it is lost", function()
        t:set { internet = { status = "unreachable", reason = "no-route" } }
        assert(t:ran("the internet is lost"))
      end)

      it("runs another when it has been back for a while", function()
        t:set { internet = { status = "unreachable", reason = "no-route" } }
        t:advance("1m")
        t:set { internet = { status = "reachable", via = "wired" } }
        t:advance("9s")
        assert.is_nil(t:ran("the internet is back"))
        t:advance("2s")
        assert(t:ran("the internet is back"))
      end)
    end)

    """
  }
}
