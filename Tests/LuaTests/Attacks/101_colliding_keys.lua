-- One assignment fills a table anew, in which all keys collide: seconds within one instruction.
local t={} for k=1,40000 do t[k*65535]=true end return "filled"
