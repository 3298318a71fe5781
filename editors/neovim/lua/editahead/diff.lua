-- Differences between an old and a new text, by line and by word.
local M = {}

local diff = vim.text.diff or vim.diff

--- Return line hunks: { old_start, old_count, new_start, new_count }, 1-based. With a count of 0, the start is the line before
--- the other side's lines.
---@param old string[]
---@param new string[]
---@return integer[][]
function M.lines(old, new)
  local function text(lines)
    return #lines == 0 and "" or table.concat(lines, "\n") .. "\n"
  end
  local hunks = diff(text(old), text(new), { result_type = "indices", linematch = 60 })
  return hunks --[[@as integer[][] ]]
end

--- Return the unified diff.
---@param old string[]
---@param new string[]
---@return string
function M.unified(old, new)
  return diff(table.concat(old, "\n") .. "\n", table.concat(new, "\n") .. "\n", { result_type = "unified", ctxlen = 3 }) --[[@as string]]
end

-- Split a text into words, runs of blanks, and other single characters, including line ends. A word includes all characters
-- beyond ASCII.
---@return string[] tokens, integer[] ends  of each token, in bytes
local function tokens(text)
  local out, ends, at = {}, {}, 1
  while at <= #text do
    local _, stop = text:find("^[%w_\128-\255]+", at)
    if not stop then
      _, stop = text:find("^[^%S\n]+", at)
    end
    stop = stop or at
    table.insert(out, text:sub(at, stop))
    table.insert(ends, stop)
    at = stop + 1
  end
  return out, ends
end

---@class editahead.WordHunk  Byte offsets, 0-based, ends exclusive.
---@field old_from integer
---@field old_to integer
---@field new_from integer
---@field new_to integer

--- Return word hunks.
---@param old string
---@param new string
---@return editahead.WordHunk[]
function M.words(old, new)
  local old_tokens, old_ends = tokens(old)
  local new_tokens, new_ends = tokens(new)
  local function span(ends, start, count)
    if count == 0 then
      return ends[start] or 0, ends[start] or 0
    end
    return ends[start - 1] or 0, ends[start + count - 1]
  end
  local function text(parts)
    local lines = vim.tbl_map(function(token)
      return token == "\n" and "\\n" or token -- no token has two characters and begins with a backslash
    end, parts)
    return #lines == 0 and "" or table.concat(lines, "\n") .. "\n"
  end
  local out = {}
  for _, h in ipairs(diff(text(old_tokens), text(new_tokens), { result_type = "indices" }) --[[@as integer[][] ]]) do
    local old_from, old_to = span(old_ends, h[1], h[2])
    local new_from, new_to = span(new_ends, h[3], h[4])
    -- A word that only grows at its end is an insertion.
    if h[2] == 1 and vim.startswith(new:sub(new_from + 1, new_to), old:sub(old_from + 1, old_to)) then
      new_from, old_from = new_from + old_to - old_from, old_to
    end
    table.insert(out, { old_from = old_from, old_to = old_to, new_from = new_from, new_to = new_to })
  end
  return out
end

return M
