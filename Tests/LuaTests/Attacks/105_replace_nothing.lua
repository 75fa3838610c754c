local s=("a"):rep(4000000) for i=1,100 do s:gsub("", {}) end
