-- Says when a handler began, for bench.py to compare with when the kernel was changed.

local function stamp(status)
  return function()
    local t = reach.now()
    print(("stamp %s %.9f"):format(status, t))
  end
end

reach.on {
  target = reach.internet,
  unreachable = stamp "unreachable",
  reachable = stamp "reachable",
}
