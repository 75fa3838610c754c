-- The traceback looks for the names of its functions among all globals.
for i=1,100000 do _ENV["v"..i]=i end
local function f(n) if n==0 then error("x") end local r=f(n-1) return r end f(60)
