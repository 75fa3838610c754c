local s=("x"):rep(250000) return #(("%99.99f"):rep(250000)):format(s:byte(1,-1))
