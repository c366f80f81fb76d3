-- JSON as RFC 8259 has it: strict in what it reads, always valid in what it
-- writes. No `load`, no `debug`; Lua 5.3 and 5.4.
--
-- Arrays and objects that are empty stay apart: decoded tables carry a mark,
-- and `json.array` and `json.object` set it. A null inside a table is
-- `json.null`. Integers and floats stay apart too, as far as Lua has them.

local json = {}

local byte, char, find, format, sub = string.byte, string.char, string.find, string.format, string.sub
local concat, sort = table.concat, table.sort
local math_type = math.type
local utf8_char, utf8_len = utf8.char, utf8.len

json.max_depth = 64
json.max_bytes = 20 * 1024 * 1024

local array_mark = { __name = "json.array" }
local object_mark = { __name = "json.object" }

-- One value that stands for null; nil cannot be kept in a table.
json.null = setmetatable({}, { __name = "json.null", __tostring = function() return "null" end })

function json.array(t)
  return setmetatable(t or {}, array_mark)
end

function json.object(t)
  return setmetatable(t or {}, object_mark)
end

function json.is_array(t)
  return type(t) == "table" and getmetatable(t) == array_mark
end

function json.is_object(t)
  return type(t) == "table" and getmetatable(t) == object_mark
end

-- Reading ---------------------------------------------------------------

-- Raised inside the reader and caught in `decode`, so that a message keeps
-- its position without passing it through every level.
local function bad(at, message)
  error({ at = at, message = message }, 0)
end

local function skip_space(text, at)
  return find(text, "[^ \t\r\n]", at) or #text + 1
end

local escapes = {
  ['"'] = '"', ["\\"] = "\\", ["/"] = "/",
  b = "\b", f = "\f", n = "\n", r = "\r", t = "\t",
}

local function four_hex(text, at)
  local digits = sub(text, at, at + 3)
  if not find(digits, "^%x%x%x%x$") then
    bad(at, "expected four hexadecimal digits")
  end
  return tonumber(digits, 16)
end

-- `at` is just behind `\u`; returns the character and the next position.
local function unicode_escape(text, at)
  local code = four_hex(text, at)
  if code >= 0xDC00 and code <= 0xDFFF then
    bad(at, "low surrogate without a high one")
  end
  if code < 0xD800 or code > 0xDBFF then
    return utf8_char(code), at + 4
  end
  if sub(text, at + 4, at + 5) ~= "\\u" then
    bad(at, "high surrogate without a low one")
  end
  local low = four_hex(text, at + 6)
  if low < 0xDC00 or low > 0xDFFF then
    bad(at + 6, "expected a low surrogate")
  end
  return utf8_char(0x10000 + (code - 0xD800) * 0x400 + (low - 0xDC00)), at + 10
end

-- `at` is the opening quote.
local function read_string(text, at)
  local first = at + 1
  local pieces, count = nil, 0
  while true do
    local stop = find(text, '[\0-\31\\"]', first)
    if not stop then
      bad(at, "string without an end")
    end
    local mark = byte(text, stop)
    if mark == 34 then
      local rest = sub(text, first, stop - 1)
      if pieces then
        pieces[count + 1] = rest
        rest = concat(pieces)
      end
      return rest, stop + 1
    end
    if mark ~= 92 then
      bad(stop, "control character in a string")
    end
    pieces = pieces or {}
    local letter = sub(text, stop + 1, stop + 1)
    local decoded, next_at
    if letter == "u" then
      decoded, next_at = unicode_escape(text, stop + 2)
    else
      decoded, next_at = escapes[letter], stop + 2
      if not decoded then
        bad(stop, "unknown escape")
      end
    end
    pieces[count + 1] = sub(text, first, stop - 1)
    pieces[count + 2] = decoded
    count = count + 2
    first = next_at
  end
end

local function read_number(text, at)
  local _, stop = find(text, "^-?%d+", at)
  if not stop then
    bad(at, "expected a digit")
  end
  if find(text, "^-?0%d", at) then
    bad(at, "number with a leading zero")
  end
  local is_float = false
  if sub(text, stop + 1, stop + 1) == "." then
    _, stop = find(text, "^%.%d+", stop + 1)
    if not stop then
      bad(at, "expected a digit behind the point")
    end
    is_float = true
  end
  if find(text, "^[eE]", stop + 1) then
    _, stop = find(text, "^[eE][+-]?%d+", stop + 1)
    if not stop then
      bad(at, "expected a digit in the exponent")
    end
    is_float = true
  end
  local word = sub(text, at, stop)
  -- Integers have no negative zero; a float keeps the sign.
  local value = word == "-0" and -0.0 or tonumber(word)
  if is_float and value then
    -- Not `+ 0.0`, which would lose a negative zero.
    value = value * 1.0
  end
  if not value or value ~= value or value == math.huge or value == -math.huge then
    bad(at, "number out of range")
  end
  return value, stop + 1
end

local read_value

local function read_array(text, at, depth)
  local list, count = {}, 0
  at = skip_space(text, at + 1)
  if byte(text, at) == 93 then
    return setmetatable(list, array_mark), at + 1
  end
  while true do
    count = count + 1
    list[count], at = read_value(text, at, depth)
    at = skip_space(text, at)
    local mark = byte(text, at)
    if mark == 93 then
      return setmetatable(list, array_mark), at + 1
    end
    if mark ~= 44 then
      bad(at, "expected `,` or `]`")
    end
    at = skip_space(text, at + 1)
  end
end

local function read_object(text, at, depth)
  local object = {}
  at = skip_space(text, at + 1)
  if byte(text, at) == 125 then
    return setmetatable(object, object_mark), at + 1
  end
  while true do
    if byte(text, at) ~= 34 then
      bad(at, "expected a key in quotes")
    end
    local key
    key, at = read_string(text, at)
    at = skip_space(text, at)
    if byte(text, at) ~= 58 then
      bad(at, "expected `:`")
    end
    object[key], at = read_value(text, skip_space(text, at + 1), depth)
    at = skip_space(text, at)
    local mark = byte(text, at)
    if mark == 125 then
      return setmetatable(object, object_mark), at + 1
    end
    if mark ~= 44 then
      bad(at, "expected `,` or `}`")
    end
    at = skip_space(text, at + 1)
  end
end

function read_value(text, at, depth)
  local mark = byte(text, at)
  if not mark then
    bad(at, "text ends where a value is expected")
  end
  if mark == 123 or mark == 91 then
    if depth >= json.max_depth then
      bad(at, "nested deeper than " .. json.max_depth)
    end
    if mark == 123 then
      return read_object(text, at, depth + 1)
    end
    return read_array(text, at, depth + 1)
  end
  if mark == 34 then
    return read_string(text, at)
  end
  if mark == 45 or (mark >= 48 and mark <= 57) then
    return read_number(text, at)
  end
  if sub(text, at, at + 3) == "true" then
    return true, at + 4
  end
  if sub(text, at, at + 4) == "false" then
    return false, at + 5
  end
  if sub(text, at, at + 3) == "null" then
    return json.null, at + 4
  end
  bad(at, "expected a value")
end

local function whole(text)
  local value, at = read_value(text, skip_space(text, 1), 0)
  at = skip_space(text, at)
  if at <= #text then
    bad(at, "text goes on behind the value")
  end
  return value
end

-- Returns the value, or nil and a message with the byte position.
function json.decode(text)
  if type(text) ~= "string" then
    return nil, "expected text"
  end
  if #text > json.max_bytes then
    return nil, format("text of %d bytes is longer than %d", #text, json.max_bytes)
  end
  local valid, where = utf8_len(text)
  if not valid then
    return nil, "invalid UTF-8 at byte " .. where
  end
  -- Lua 5.3 takes surrogates in UTF-8, which is no UTF-8.
  local surrogate = find(text, "\xED[\xA0-\xBF]")
  if surrogate then
    return nil, "invalid UTF-8 at byte " .. surrogate
  end
  local ok, value = pcall(whole, text)
  if ok then
    return value
  end
  if type(value) ~= "table" then
    return nil, tostring(value)
  end
  return nil, format("%s at byte %d", value.message, value.at)
end

-- Writing ---------------------------------------------------------------

local short_escapes = {
  ['"'] = '\\"', ["\\"] = "\\\\", ["\b"] = "\\b", ["\f"] = "\\f",
  ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t",
}

local function escape(c)
  return short_escapes[c] or format("\\u%04x", byte(c))
end

local replacement = "\u{FFFD}"

-- File names need not be UTF-8. What is not becomes U+FFFD, byte by byte.
local function valid_utf8(text)
  if utf8_len(text) and not find(text, "\xED[\xA0-\xBF]") then
    return text
  end
  local out, count, at = {}, 0, 1
  while at <= #text do
    local lead = byte(text, at)
    local size = lead < 0x80 and 1 or lead < 0xC2 and 0 or lead < 0xE0 and 2
      or lead < 0xF0 and 3 or lead < 0xF5 and 4 or 0
    local piece = size > 0 and sub(text, at, at + size - 1) or ""
    count = count + 1
    if size > 0 and #piece == size and utf8_len(piece) == 1 and not find(piece, "^\xED[\xA0-\xBF]") then
      out[count] = piece
      at = at + size
    else
      out[count] = replacement
      at = at + 1
    end
  end
  return concat(out)
end

local function write_string(text)
  return '"' .. valid_utf8(text):gsub('[\0-\31\\"\127]', escape) .. '"'
end

local function write_number(value)
  if math_type(value) == "integer" then
    return format("%d", value)
  end
  if value ~= value or value == math.huge or value == -math.huge then
    return "null"
  end
  local text = format("%.15g", value)
  if tonumber(text) ~= value then
    text = format("%.17g", value)
  end
  -- A host may run with a decimal comma.
  text = text:gsub(",", ".")
  if not find(text, "[.e]") then
    text = text .. ".0"
  end
  return text
end

local write_value

local function is_list(t)
  local mark = getmetatable(t)
  if mark == array_mark then
    return true
  end
  if mark == object_mark then
    return false
  end
  local count = #t
  if count == 0 then
    return false
  end
  local keys = 0
  for _ in pairs(t) do
    keys = keys + 1
  end
  return keys == count
end

local function write_table(t, out, depth)
  if depth >= json.max_depth then
    error("value is nested deeper than " .. json.max_depth, 0)
  end
  if is_list(t) then
    out[#out + 1] = "["
    for i = 1, #t do
      if i > 1 then
        out[#out + 1] = ","
      end
      write_value(t[i], out, depth + 1)
    end
    out[#out + 1] = "]"
    return
  end
  local keys = {}
  for key in pairs(t) do
    local kind = type(key)
    if kind ~= "string" and kind ~= "number" then
      error("cannot write a key of type " .. kind, 0)
    end
    keys[#keys + 1] = key
  end
  -- The order of a table's keys is chance; sorted output is the same each time.
  sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  out[#out + 1] = "{"
  for i, key in ipairs(keys) do
    if i > 1 then
      out[#out + 1] = ","
    end
    out[#out + 1] = write_string(tostring(key)) .. ":"
    write_value(t[key], out, depth + 1)
  end
  out[#out + 1] = "}"
end

function write_value(value, out, depth)
  local kind = type(value)
  if value == nil or value == json.null then
    out[#out + 1] = "null"
  elseif kind == "string" then
    out[#out + 1] = write_string(value)
  elseif kind == "number" then
    out[#out + 1] = write_number(value)
  elseif kind == "boolean" then
    out[#out + 1] = value and "true" or "false"
  elseif kind == "table" then
    write_table(value, out, depth)
  else
    error("cannot write a value of type " .. kind, 0)
  end
end

-- Returns the text, or nil and a message.
function json.encode(value)
  local out = {}
  local ok, message = pcall(write_value, value, out, 0)
  if not ok then
    return nil, tostring(message)
  end
  return concat(out)
end

return json
