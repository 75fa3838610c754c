local s,t=("x"):rep(4000000),{} for i=1,19999 do t[i]=s end while true do pcall(give,t) pcall(on,t) end
