-- Opens the sign-in page of a network that has one, as soon as you are on it and again when it has
-- forgotten you. Needs a desktop, systemd and xdg-utils.

local page = "http://detectportal.firefox.com/success.txt"  -- is asked for, over plain http
local text = "success"                                      -- what it holds

reach.on {
  name = "portal-sign-in",
  target = reach.target {
    internet = true, name = "open internet", http = page, expect = text, every = "1m", fall = 1,
  },
  apart = { portal = "2m" },  -- so long lies between two pages, however often the link bounces
  portal = function(e)
    -- A unit of its own, since the browser may stay. To systemd $$ is a dollar, $ may be more.
    local url = (e.url or page):gsub("%$", "$$")
    reach.run { "systemd-run", "--user", "--quiet", "--collect", "xdg-open", url }
  end,
}
