-- Calls the pattern functions with arguments made at random, and prints what came of each call.
-- Two interpreters given the same `seed` and `count`, by a first line, print the same lines.

local state = seed
local function below(limit)
  state = state * 6364136223846793005 + 1442695040888963407
  return (state >> 33) % limit
end
local function one_of(list) return list[below(#list) + 1] end

local letters = { "a", "b", "a", "b", "x", "1", " ", "(", ")", "[", "]", "%", "-", "\0", "\255", "\n" }
local function text(length)
  local parts = {}
  for i = 1, below(length + 1) do parts[i] = one_of(letters) end
  return table.concat(parts)
end

local classes = { "%a", "%c", "%d", "%g", "%l", "%p", "%s", "%u", "%w", "%x", "%A", "%D", "%S", "%W",
  "%X", "%z", "%Z", "%%", "%]", "%(", "%\0", "%-", "%." }
local members = { "a", "b", "x", "1", "]", "^", "-", "%", "a-b", "a-", "-b", "b-a", "\0-\255", "%a",
  "%W", "%]", "%-", "0-9", "[", "[:alpha:]", ".", "a-%", "%%" }
local function set()
  local parts = { one_of { "[", "[", "[^" } }
  for _ = 0, below(4) do parts[#parts + 1] = one_of(members) end
  if below(20) > 0 then parts[#parts + 1] = "]" end
  return table.concat(parts)
end

local function single()
  local kind = below(10)
  if kind < 4 then return one_of(letters) end
  if kind < 6 then return "." end
  if kind < 8 then return one_of(classes) end
  return set()
end
local function item()
  local kind = below(24)
  if kind < 13 then return single() .. one_of { "", "", "*", "+", "-", "?" } end
  if kind < 15 then return "(" end
  if kind < 17 then return ")" end
  if kind == 17 then return "()" end
  if kind == 18 then return "%" .. below(4) end
  if kind == 19 then return "%b" .. one_of { "()", "ab", "aa", "[]", "\0a", "(" } end
  if kind == 20 then return "%f" .. set() end
  if kind == 21 then return one_of { "^", "$", "%", "[", "%f", "%fa", "%b", "-", "*" } end
  if kind == 22 then return "(" .. single() .. one_of { "", "*", "+", "-", "?" } .. ")" end
  return "(.-)%1"
end
local function pattern()
  local parts = { one_of { "", "", "^" } }
  for _ = 1, below(6) do parts[#parts + 1] = item() end
  if below(5) == 0 then parts[#parts + 1] = "$" end
  local result = table.concat(parts)
  -- One in so many has as many choices, captures or items as there may be, or one more.
  local kind = below(50)
  if kind == 0 then return ("a-"):rep(196 + below(8)) end
  if kind == 1 then return ("()"):rep(30 + below(4)) .. result end
  if kind == 2 then return ("(a"):rep(30 + below(4)) .. (")"):rep(30 + below(4)) end
  return result
end

local function replacement()
  local parts = {}
  for i = 1, below(4) do
    parts[i] = one_of { "x", "%0", "%1", "%2", "%9", "%%", "%", "%a", "\0", "" }
  end
  return table.concat(parts)
end
local replacements = {
  replacement, replacement, replacement,
  function() return 17 end,
  function() return 1.5 end,
  function() return { a = "A", b = 2, x = false, [1] = "one", ["1"] = true, [""] = "" } end,
  function() return setmetatable({}, { __index = function(_, key) return key .. "!" end }) end,
  function() return setmetatable({}, { __index = function(_, key) error("no " .. key, 0) end }) end,
  function() return function(...) return table.concat({ ... }, "|") end end,
  function() return function(a) if a == "a" then return false end return a end end,
  function() return function() return {} end end,
  function() return function() return nil, 1 end end,
  function() return string.upper end,
  function() return error end,
  function() return nil end,
  function() return true end,
}

local function init()
  return one_of { nil, nil, nil, 1, 2, 3, 0, -1, -2, 5, 100, -100, math.mininteger, math.maxinteger,
    "2", 2.0, 2.5, "x", false }
end

local function shown(value)
  if type(value) ~= "string" then return (tostring(value):gsub("0x%x+", "0x")) end
  local bytes = { value:byte(1, -1) }
  for i, byte in ipairs(bytes) do
    bytes[i] = byte >= 32 and byte < 127 and string.char(byte) or ("\\%03d"):format(byte)
  end
  return "'" .. table.concat(bytes) .. "'"
end
local function list(...)
  local parts = {}
  for i = 1, select("#", ...) do parts[i] = shown((select(i, ...))) end
  return table.concat(parts, " ")
end

-- What a loop over gmatch yields; a loop that does not end would be a fault of its own.
local function all_matches(...)
  local parts = {}
  local next_match = string.gmatch(...)
  for i = 1, 100 do
    local found = list(next_match())
    if found == "" then return table.concat(parts, "; ") end
    parts[i] = found
  end
  return "endless"
end

for number = 1, count do
  local subject, wanted, start = text(one_of { 3, 8, 20 }), pattern(), init()
  if below(200) == 0 then subject = one_of { 12, 1.5, false, {} } end
  if below(200) == 0 then wanted = one_of { 1, 1.5, false, {} } end
  local name = one_of { "find", "match", "gmatch", "gsub" }
  local results
  if name == "find" then
    results = list(pcall(string.find, subject, wanted, start, one_of { nil, nil, true, 0 }))
  elseif name == "match" then
    results = list(pcall(string.match, subject, wanted, start))
  elseif name == "gmatch" then
    results = list(pcall(all_matches, subject, wanted, start))
  else
    start = one_of { nil, nil, nil, 0, 1, 2, -1, "1", 1.5 }
    results = list(pcall(string.gsub, subject, wanted, one_of(replacements)(), start))
  end
  print(("%d %s %s %s %s: %s"):format(
    number, name, shown(subject), shown(wanted), shown(start), results))
end
