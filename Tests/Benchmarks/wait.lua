-- Times a call that waits, as wait.c does.

local count, rounds = 5000, {}

reach.on {
  target = reach.internet,
  reachable = function()
    for round = 0, 5 do -- the first only warms up
      local start = reach.now()
      for _ = 1, count do reach.sleep(0) end
      rounds[round] = (reach.now() - start) * 1e9 / count
    end
    table.sort(rounds)
    print(("wait best %.1f median %.1f ns"):format(rounds[1], rounds[3]))
  end,
}
