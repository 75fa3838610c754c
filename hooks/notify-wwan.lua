-- Shows a desktop notification when traffic falls back to mobile data, and when it is over.

local title = "Mobile data"    -- what the notification is headed
local stable = "5s"            -- how long a change must hold before it is told

local function notify(body)
  reach.notify { title = title, body = body, replace = true }
end

reach.on {
  name = "notify-wwan",
  target = reach.internet,
  stable = stable,
  wwan = function(e) notify("The internet is reached over " .. e.interface .. " now.") end,
  change = function(e)
    if e.was_via == "wwan" and e.via ~= "wwan" then notify("Mobile data is not used any more.") end
  end,
}
