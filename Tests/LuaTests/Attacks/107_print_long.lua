local s=("x"):rep(4000000) print(s,s,s,s,s,s,s,s,s,s,s,s,s,s,s,s)
