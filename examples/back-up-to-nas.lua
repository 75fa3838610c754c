-- Backs up to a NAS: only while it is reached by cable, once that has held for a moment, and never
-- twice at once, since a hook's handlers do not overlap.

local nas = reach.target {
  address = "192.0.2.7",
  name = "nas",
  route = true, -- the way to it is enough; whether it is switched on, the backup finds out
}

reach.on {
  name = "back-up",
  target = nas,
  stable = { reachable = "1s" },
  deadline = "2h",
  wired = function(e)
    local backup = reach.run { "rsync", "-a", "/home", "rsync://" .. e.address, timeout = "1h" }
    if backup.ok then reach.log.info("backed up to %s from %s", e.address, e.source) end
  end,
  unreachable = function(e) reach.log.warn("no backup to %s: %s", e.target, e.reason) end,
}
