-- Keeps a note of which of several hosts can be reached, each by a rule of its own, and tells the
-- best one: the first in the list that is reachable.

local mirrors = {
  { address = "192.0.2.7", stable = "0s" },                  -- at home: at once
  { address = "198.51.100.7", stable = "1s", wwan = false }, -- far away: not over mobile data
}

local reachable, chosen = {}, nil

local function choose()
  for _, mirror in ipairs(mirrors) do
    if reachable[mirror.address] then
      if chosen ~= mirror.address then
        chosen = mirror.address
        reach.log.info("mirror: %s", chosen)
      end
      return
    end
  end
  if chosen ~= nil then reach.log.warn("mirror: none") end
  chosen = nil
end

for _, mirror in ipairs(mirrors) do
  reach.on {
    name = mirror.address,
    target = reach.target { address = mirror.address, wwan = mirror.wwan, route = true },
    stable = { reachable = mirror.stable },
    initial = true, -- what is noted above is forgotten when the script is loaded anew
    reachable = function() reachable[mirror.address] = true; choose() end,
    unreachable = function() reachable[mirror.address] = nil; choose() end,
  }
end
