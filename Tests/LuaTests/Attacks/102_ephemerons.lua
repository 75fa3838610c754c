local mt,keys,all,order={__mode="k"},{},{},{}
for i=1,30000 do keys[i]={} order[i]=i end
for i=30000,2,-1 do local j=math.random(i) order[i],order[j]=order[j],order[i] end
for _,i in ipairs(order) do all[i]=setmetatable({[keys[i]]=keys[i+1] or true},mt) end
local first=keys[1] keys=nil while true do local garbage=("x"):rep(1e6) end
