local s=("a"):rep(4000000) return s:find("["..("b"):rep(4000000).."]*c")
