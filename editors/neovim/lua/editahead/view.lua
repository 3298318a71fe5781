-- What each buffer shows: asking the server, showing its answer, and what the person does with it.
local client = require("editahead.client")
local config = require("editahead.config")
local diagnostics = require("editahead.diagnostics")
local render = require("editahead.render")
local tracked_edit = require("editahead.tracked_edit")

local M = {}

---@class editahead.View
---@field prediction editahead.Prediction|nil  the one that is shown, or would be if one looked there
---@field all editahead.Prediction[]  it and the alternatives to it, best first
---@field chosen boolean      whether the person chose it among them
---@field drawn boolean       whether it is on the screen now
---@field asked string|nil    the text and the cursor of the last request
---@field told lsp.Diagnostic[]  what the server knows of the buffer's problems
---@field news boolean        whether there are others now
---@field number integer      of the last request
---@field open {client: vim.lsp.Client, id: integer}|nil  the request that is not answered yet
---@field pending string|nil  the trigger of a request that is about to be sent
---@field silence {reason: string, detail: string}|nil    why the last answer was empty

---@type table<integer, editahead.View>
local views = {}

M.enabled = true

---@param bufnr integer
---@return editahead.View
local function view_of(bufnr)
  views[bufnr] = views[bufnr] or { all = {}, chosen = false, drawn = false, number = 0, told = {}, news = true }
  return views[bufnr]
end

local function current()
  return vim.api.nvim_get_current_buf()
end

-- Insert and normal mode. Elsewhere (visual mode, a snippet's selected field, the command line) keys mean other things.
local function mode_shows()
  local mode = vim.api.nvim_get_mode().mode
  return mode == "n" or mode:sub(1, 1) == "i" or mode:sub(1, 2) == "ni"
end

local function inserting()
  return vim.api.nvim_get_mode().mode:sub(1, 1) == "i"
end

--- Whether a completion menu is open: it owns the keys and the place at the cursor.
function M.menu_is_open()
  if vim.fn.pumvisible() ~= 0 then
    return true
  end
  for module, method in pairs({ ["blink.cmp"] = "is_visible", cmp = "visible" }) do
    local loaded = package.loaded[module]
    if type(loaded) == "table" and type(loaded[method]) == "function" then
      local ok, open = pcall(loaded[method])
      if ok and open then
        return true
      end
    end
  end
  return false
end

local function shown_ms(prediction)
  return prediction.shown_at and math.floor(vim.uv.now() - prediction.shown_at) or 0
end

local function forget(bufnr)
  local view = view_of(bufnr)
  for _, prediction in ipairs(view.all) do
    prediction:drop()
  end
  view.prediction, view.all, view.chosen = nil, {}, false
  view.drawn = false
  render.clear(bufnr)
end

-- Neovim's own ghost text shows what is on the cursor's line, when the person wants it so.
local function left_to_neovim(prediction, live, bufnr, row)
  return config.options.inline_completion
    and vim.lsp.inline_completion ~= nil
    and inserting()
    and not prediction:is_elsewhere(live, bufnr, row)
end

--- Nobody looks there any more.
---@param bufnr integer
function M.hide(bufnr)
  if views[bufnr] then
    views[bufnr].drawn = false
    render.clear(bufnr)
  end
end

--- Bring the screen up to date with the text, the cursor and the mode.
---@param bufnr integer
function M.redraw(bufnr)
  local view = views[bufnr]
  if not view then
    return
  end
  M.hide(bufnr)
  local prediction = view.prediction
  if not prediction then
    return
  end
  local live = prediction.bufnr and prediction:live()
  if prediction.bufnr and not live then
    forget(bufnr) -- overtaken by the text: the server sees that by itself
    return
  end
  if not M.enabled or bufnr ~= current() or not mode_shows() or M.menu_is_open() then
    return
  end
  if left_to_neovim(prediction, live or {}, bufnr, vim.api.nvim_win_get_cursor(0)[1] - 1) then
    return
  end
  render.draw(prediction, live or nil, view.chosen and ("%d/%d"):format(M.number(bufnr), #view.all) or nil)
  view.drawn = true
  if not prediction.shown_at then
    prediction.shown_at = vim.uv.now()
    client.outcome(bufnr, prediction.id, "shown")
  end
end

-- Whether it was made for the text that is in its buffer now.
local function is_present(wire)
  local target = vim.uri_to_bufnr(wire.textDocument.uri)
  return not vim.api.nvim_buf_is_loaded(target) or wire.textDocument.version == vim.lsp.util.buf_versions[target]
end

---@param bufnr integer
---@param result table
---@param encoding string
local function take(bufnr, result, encoding)
  local view = view_of(bufnr)
  if result.predictions[1] and not is_present(result.predictions[1]) then
    return -- the change since then asks again
  end
  local before, chosen = view.all, view.chosen and view.prediction.id
  local all, by_id = {}, {}
  for _, wire in ipairs(vim.tbl_filter(is_present, result.predictions)) do
    local prediction = tracked_edit.new(wire, encoding)
    table.insert(all, prediction)
    by_id[prediction.id] = prediction
  end
  for _, old in ipairs(before) do
    if by_id[old.id] then
      by_id[old.id].shown_at = old.shown_at
    elseif old.shown_at then
      client.outcome(bufnr, old.id, "ignored", { shownMs = shown_ms(old) })
    end
  end
  forget(bufnr)
  view.silence = result.silence ~= vim.NIL and result.silence or nil
  view.all, view.prediction, view.chosen = all, by_id[chosen] or all[1], by_id[chosen] ~= nil
  M.redraw(bufnr)
end

---@param bufnr integer
---@return string
local function state_of(bufnr)
  local cursor = vim.api.nvim_win_get_cursor(0)
  return table.concat({ vim.lsp.util.buf_versions[bufnr] or 0, cursor[1], cursor[2] }, ":")
end

-- What the server is to be told of the buffer's problems; nil when it knows. Neovim moves them only when they are published
-- anew, while the server moves them with the text: so the same are not told twice.
local function news(bufnr, view, encoding)
  if not view.news then
    return nil
  end
  view.news = false
  local now = diagnostics.of(bufnr, encoding, vim.api.nvim_win_get_cursor(0)[1] - 1)
  if vim.deep_equal(now, view.told) then
    return nil
  end
  view.told = now
  return now
end

local function cancel(view)
  if view.open then
    view.open.client:cancel_request(view.open.id)
    view.open = nil
  end
end

--- Ask for the next edit now. The request before this one, if it still runs, is cancelled.
---@param bufnr integer
---@param trigger "typed"|"cursor"|"accepted"|"manual"
---@param done fun()|nil  when the answer is there
function M.ask(bufnr, trigger, done)
  local server = client.get(bufnr)
  local explicit = trigger == "accepted" or trigger == "manual"
  if not server or not M.enabled or bufnr ~= current() or not (explicit or mode_shows()) then
    return
  end
  local view = view_of(bufnr)
  local state = state_of(bufnr)
  view.pending = nil
  local told = news(bufnr, view, server.offset_encoding)
  if view.asked == state and not explicit and not told then
    return
  end
  cancel(view)
  view.asked = state
  view.number = view.number + 1
  local number = view.number
  local position = vim.lsp.util.make_position_params(0, server.offset_encoding).position
  local sent, id = server:request("editahead/nextEdit", {
    textDocument = { uri = vim.uri_from_bufnr(bufnr), version = vim.lsp.util.buf_versions[bufnr] },
    position = position,
    context = { trigger = trigger, diagnostics = told },
  }, function(err, result)
    if number ~= view.number or views[bufnr] ~= view then
      return
    end
    view.open = nil
    if not err and result and M.enabled and vim.api.nvim_buf_is_loaded(bufnr) then
      take(bufnr, result, server.offset_encoding)
    end
    if done then
      done()
    end
  end, bufnr)
  view.open = sent and id and { client = server, id = id } or nil
end

--- Ask when the editor has worked off what it is at; several wishes become one request.
---@param bufnr integer
---@param trigger "typed"|"cursor"
function M.ask_soon(bufnr, trigger)
  local view = view_of(bufnr)
  local waits = view.pending ~= nil
  view.pending = (view.pending == "typed" or trigger == "typed") and "typed" or "cursor"
  if not waits then
    vim.schedule(function()
      if view.pending and vim.api.nvim_buf_is_valid(bufnr) then
        local wish = view.pending
        view.pending = nil
        M.ask(bufnr, wish)
      end
    end)
  end
end

--- Other problems are known of the buffer now: they may have an answer.
---@param bufnr integer
function M.diagnosed(bufnr)
  if views[bufnr] then
    views[bufnr].news = true
    M.ask_soon(bufnr, "cursor")
  end
end

--- The prediction that is on the screen of this buffer, if there is one.
---@param bufnr integer|nil
---@return editahead.Prediction|nil
function M.visible(bufnr)
  local view = views[bufnr or current()]
  return view and view.drawn and not M.menu_is_open() and view.prediction or nil
end

--- The number of the prediction that is shown, among all that came with it.
---@param bufnr integer
---@return integer|nil
function M.number(bufnr)
  local view = view_of(bufnr)
  for number, prediction in ipairs(view.all) do
    if prediction == view.prediction then
      return number
    end
  end
end

--- Whether there is another prediction to be shown in place of the one on the screen.
---@return boolean
function M.has_alternatives()
  return M.visible() ~= nil and #view_of(current()).all > 1
end

--- Show another of the predictions: the one so many further on in the list, which has no end. What the text has
--- overtaken is passed over.
---@param step integer
---@return boolean  whether another is shown now
function M.choose(step)
  local bufnr = current()
  local view = view_of(bufnr)
  for i = 1, M.has_alternatives() and #view.all - 1 or 0 do
    local other = view.all[(M.number(bufnr) - 1 + step * i) % #view.all + 1]
    if not other.bufnr or other:live() then
      view.prediction, view.chosen = other, true
      M.redraw(bufnr)
      return true
    end
  end
  return false
end

--- What the last answer said instead of a prediction.
function M.silence()
  local view = views[current()]
  return view and view.silence
end

--- What would be put in at the cursor, if that is what is shown.
function M.ghost()
  local prediction = M.visible()
  local live = prediction and prediction:live()
  if not live then
    return nil
  end
  local cursor = vim.api.nvim_win_get_cursor(0)
  return render.ghost_text(live, cursor[1] - 1, cursor[2])
end

local function jump(prediction, live)
  vim.cmd("normal! m'")
  if prediction.bufnr == current() then
    local row, col
    if #live > 0 then
      row, col = live[1].row, live[1].col
    else
      row, col = tracked_edit.place(current(), prediction.jump, prediction.encoding)
    end
    vim.api.nvim_win_set_cursor(0, { row + 1, col })
    vim.cmd("normal! zv")
    return
  end
  local place = prediction.jump or prediction.wire.edits[1].range.start
  local location = { uri = prediction.uri, range = { start = place, ["end"] = place } }
  vim.lsp.util.show_document(location, prediction.encoding, { focus = true, reuse_win = true })
end

local function finish(bufnr, prediction, live)
  client.outcome(bufnr, prediction.id, "accepted", { shownMs = shown_ms(prediction) })
  local cursor = prediction:apply(live)
  vim.api.nvim_win_set_cursor(0, cursor)
  forget(bufnr)
  M.ask(bufnr, "accepted")
end

-- The prediction in hand and its edits as they are now.
local function in_hand(bufnr)
  local view = views[bufnr]
  local prediction = view and view.prediction
  local live = prediction and (not prediction.bufnr and {} or prediction:live())
  return prediction, live
end

local function may_change(bufnr)
  if not vim.bo[bufnr].modifiable then
    vim.notify("Editahead: this buffer cannot be changed.", vim.log.levels.WARN)
    return false
  end
  return true
end

--- Go to the prediction, or make it when the cursor is there.
---@return "jumped"|"applied"|"nothing"
function M.accept()
  local bufnr = current()
  local prediction, live = in_hand(bufnr)
  if not prediction or not live then
    return "nothing"
  end
  if prediction:is_elsewhere(live, bufnr, vim.api.nvim_win_get_cursor(0)[1] - 1) then
    jump(prediction, live)
    M.redraw(current())
    M.ask_soon(current(), "cursor")
    return "jumped"
  end
  if #live == 0 or not may_change(bufnr) then
    return "nothing"
  end
  finish(bufnr, prediction, live)
  return "applied"
end

--- Make the next word or line of the prediction; go there first when it is elsewhere.
---@param kind "word"|"line"
---@return "jumped"|"applied"|"nothing"
function M.accept_part(kind)
  local bufnr = current()
  local prediction, live = in_hand(bufnr)
  if not prediction or not live then
    return "nothing"
  end
  if prediction:is_elsewhere(live, bufnr, vim.api.nvim_win_get_cursor(0)[1] - 1) then
    return M.accept()
  end
  local piece = prediction:piece(live, kind)
  if not piece or not may_change(bufnr) then
    return "nothing"
  end
  if piece.whole then
    finish(bufnr, prediction, live)
    return "applied"
  end
  client.outcome(bufnr, prediction.id, "partiallyAccepted", {
    acceptedLength = piece.length,
    shownMs = shown_ms(prediction),
  })
  vim.api.nvim_win_set_cursor(0, prediction:apply_piece(piece))
  M.redraw(bufnr)
  M.ask_soon(bufnr, "typed")
  return "applied"
end

--- Refuse what is shown.
---@return boolean
function M.reject()
  local bufnr = current()
  local prediction = views[bufnr] and views[bufnr].prediction
  if not prediction then
    return false
  end
  cancel(views[bufnr])
  views[bufnr].number = views[bufnr].number + 1
  client.outcome(bufnr, prediction.id, "rejected", { shownMs = shown_ms(prediction) })
  forget(bufnr)
  return true
end

--- Ask at once and go there.
function M.go()
  local bufnr = current()
  M.ask(bufnr, "manual", function()
    if bufnr ~= current() then
      return
    end
    local prediction, live = in_hand(bufnr)
    if prediction and live then
      if prediction:is_elsewhere(live, bufnr, vim.api.nvim_win_get_cursor(0)[1] - 1) then
        M.accept()
      end
    else
      local silence = views[bufnr].silence
      vim.api.nvim_echo({ { "Editahead: " .. (silence and silence.detail or "nothing to say.") } }, false, {})
    end
  end)
end

---@param enabled boolean
function M.enable(enabled)
  M.enabled = enabled
  for bufnr, view in pairs(views) do
    view.asked = nil
    if not enabled then
      cancel(view)
      forget(bufnr)
    end
  end
  if enabled then
    M.ask_soon(current(), "cursor")
  end
end

--- The server of this buffer is gone, and with it what it predicted.
---@param bufnr integer
function M.forget(bufnr)
  if views[bufnr] then
    forget(bufnr)
    views[bufnr] = nil
  end
end

return M
