local long=("x"):rep(4000000) for i=1,100 do _ENV[("y"):rep(100000)..i]=i end
while true do pcall(function() return _ENV[long] end) end
