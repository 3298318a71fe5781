-- The predictions of each buffer: requests to the server, their display, and the user's reaction.
local activity = require("editahead.activity")
local client = require("editahead.client")
local config = require("editahead.config")
local diagnostics = require("editahead.diagnostics")
local jump = require("editahead.jump")
local pause = require("editahead.pause")
local render = require("editahead.render")
local tracked_edit = require("editahead.tracked_edit")

local M = {}

---@class editahead.View
---@field current editahead.Prediction|nil
---@field predictions editahead.Prediction[]  those of the last response, best first
---@field is_chosen boolean   whether the user chose the current prediction among several
---@field is_drawn boolean    whether the current prediction is on the screen
---@field requested_state string|nil  the buffer state of the last request
---@field requested_trigger string|nil  the trigger of the last request
---@field sent_diagnostics lsp.Diagnostic[]
---@field diagnostics_changed boolean  since `sent_diagnostics`
---@field generation integer  incremented by each request, to recognize outdated responses
---@field request {client: vim.lsp.Client, id: integer}|nil  the request in progress
---@field scheduled "typed"|"cursor"|nil  the trigger of a scheduled request
---@field accepted_undo integer|nil  the buffer's undo state after the last accept
---@field has_typed_over boolean  whether the user types on over a hint of another buffer, which shows again after a pause
---@field revealed string|nil  the id of the prediction that the user wants to see, with `display = "subtle"`
---@field previewed string|nil  the id of the prediction out of sight whose code is shown at the cursor
---@field silence {reason: string, detail: string}|nil  why the last response has no prediction

---@type table<integer, editahead.View>
local views = {}

---@param bufnr integer
---@return editahead.View
local function view_of(bufnr)
  views[bufnr] = views[bufnr] or {
    predictions = {},
    is_chosen = false,
    is_drawn = false,
    generation = 0,
    sent_diagnostics = {},
    diagnostics_changed = true,
    has_typed_over = false,
  }
  return views[bufnr]
end

---@type {id: string, until_ms: integer}|nil  the prediction that is accepted once the buffer that was opened for it shows it
local accepted_there
-- The time that this may take.
local ACCEPT_THERE_MS = 3000

local function current_buffer()
  return vim.api.nvim_get_current_buf()
end

local function is_insert_mode()
  return vim.api.nvim_get_mode().mode:sub(1, 1) == "i"
end

local function clear_predictions(bufnr)
  local view = view_of(bufnr)
  for _, prediction in ipairs(view.predictions) do
    prediction:delete()
  end
  view.current, view.predictions, view.is_chosen = nil, {}, false
  view.is_drawn = false
  render.clear(bufnr)
end

-- With the option `inline_completion`, Neovim's own ghost text shows predictions on the cursor's line.
local function is_shown_by_neovim(prediction, live, bufnr, row)
  return config.options.inline_completion
    and vim.lsp.inline_completion ~= nil
    and is_insert_mode()
    and not prediction:is_elsewhere(live, bufnr, row)
end

-- Return whether the user undid the last accept. Nothing goes on from there until the user changes something else.
local function is_accept_undone(view, bufnr)
  return view.accepted_undo ~= nil and vim.fn.undotree(bufnr).seq_cur < view.accepted_undo
end

-- Return whether only the mark of a prediction is shown, until the user presses a key for more.
local function is_subtle(view)
  return config.options.display == "subtle" and view.current ~= nil and view.revealed ~= view.current.id
end

--- Remove the prediction from the screen.
---@param bufnr integer
function M.hide(bufnr)
  if views[bufnr] then
    views[bufnr].is_drawn = false
    render.clear(bufnr)
  end
end

--- Draw the current prediction for the present text, cursor and mode.
---@param bufnr integer
function M.redraw(bufnr)
  local view = views[bufnr]
  if not view then
    return
  end
  M.hide(bufnr)
  local prediction = view.current
  if not prediction then
    return
  end
  local live = prediction.bufnr and prediction:live_edits()
  if prediction.bufnr and not live then
    clear_predictions(bufnr) -- the text has changed; the server knows
    return
  end
  if is_accept_undone(view, bufnr) or bufnr ~= current_buffer() then
    return
  end
  if not activity.is_mode_supported() or activity.is_menu_open() then
    return
  end
  if is_shown_by_neovim(prediction, live or {}, bufnr, vim.api.nvim_win_get_cursor(0)[1] - 1) then
    return
  end
  local subtle = is_subtle(view)
  local ordinal = view.is_chosen and ("%d/%d"):format(M.index(bufnr), #view.predictions) or nil
  render.draw(prediction, live or nil, ordinal, view.previewed == prediction.id, subtle)
  view.is_drawn = true
  if not prediction.shown_at and not subtle then
    prediction.shown_at = vim.uv.now()
    client.report_outcome(bufnr, prediction.id, "shown")
  end
end

---@param bufnr integer
---@param trigger string
---@param result table
---@param encoding string
local function on_response(bufnr, trigger, result, encoding)
  local view = view_of(bufnr)
  if result.predictions[1] and not tracked_edit.is_valid(result.predictions[1]) then
    return -- the change since the request triggers another
  end
  view.has_typed_over = view.has_typed_over and trigger == "typed"
  local function is_wanted(response)
    return tracked_edit.is_valid(response)
      and not (view.has_typed_over and vim.uri_to_bufnr(response.textDocument.uri) ~= bufnr)
  end
  local previous, chosen_id = view.predictions, view.is_chosen and view.current.id
  local predictions, by_id = {}, {}
  for _, response in ipairs(vim.tbl_filter(is_wanted, result.predictions)) do
    local prediction = tracked_edit.new(response, encoding)
    table.insert(predictions, prediction)
    by_id[prediction.id] = prediction
  end
  for _, old in ipairs(previous) do
    if by_id[old.id] then
      by_id[old.id].shown_at = old.shown_at
    elseif old.shown_at then
      client.report_outcome(bufnr, old.id, "ignored", { shownMs = old:shown_ms() })
    end
  end
  clear_predictions(bufnr)
  view.silence = result.silence ~= vim.NIL and result.silence or nil
  view.predictions, view.current, view.is_chosen = predictions, by_id[chosen_id] or predictions[1], by_id[chosen_id] ~= nil
  M.redraw(bufnr)
  M.accept_there(bufnr)
end

---@param bufnr integer
---@return string
local function state_of(bufnr)
  local cursor = vim.api.nvim_win_get_cursor(0)
  return table.concat({ vim.lsp.util.buf_versions[bufnr] or 0, cursor[1], cursor[2] }, ":")
end

local function cancel(view)
  if view.request then
    view.request.client:cancel_request(view.request.id)
    view.request = nil
  end
end

--- Request a prediction now, and cancel the request in progress.
---@param bufnr integer
---@param trigger "typed"|"cursor"|"paused"|"accepted"|"manual"
---@param on_done fun()|nil  called after the response
function M.request(bufnr, trigger, on_done)
  local server = client.get(bufnr)
  local is_explicit = trigger == "accepted" or trigger == "manual"
  local may_repeat = is_explicit or trigger == "paused"
  local may_ask = is_explicit or (activity.is_active() and activity.is_mode_supported())
  if not server or bufnr ~= current_buffer() or not may_ask then
    return
  end
  local view = view_of(bufnr)
  local state = state_of(bufnr)
  view.scheduled = nil
  if trigger ~= "manual" and is_accept_undone(view, bufnr) then
    clear_predictions(bufnr)
    return
  end
  local changed_diagnostics = diagnostics.take_changed(bufnr, view, server.offset_encoding)
  if view.requested_state == state and not may_repeat and not changed_diagnostics then
    return
  end
  cancel(view)
  pause.stop()
  view.requested_state, view.requested_trigger = state, trigger
  view.generation = view.generation + 1
  local generation = view.generation
  local position = vim.lsp.util.make_position_params(0, server.offset_encoding).position
  local sent, id = server:request("editahead/nextEdit", {
    textDocument = { uri = vim.uri_from_bufnr(bufnr), version = vim.lsp.util.buf_versions[bufnr] },
    position = position,
    context = { trigger = trigger, diagnostics = changed_diagnostics, refreshes = true, evidence = config.options.evidence },
  }, function(err, result)
    if generation ~= view.generation or views[bufnr] ~= view then
      return
    end
    view.request = nil
    if not err and result and vim.api.nvim_buf_is_loaded(bufnr) then
      on_response(bufnr, trigger, result, server.offset_encoding)
      if trigger == "typed" and not view.current then
        pause.start(function()
          if bufnr == current_buffer() and view.requested_state == state_of(bufnr) then
            M.request(bufnr, "paused")
          end
        end)
      end
    end
    if on_done then
      on_done()
    end
  end, bufnr)
  view.request = sent and id and { client = server, id = id } or nil
end

--- Request a prediction once the present events are processed; calls until then are combined into one request.
---@param bufnr integer
---@param trigger "typed"|"cursor"
function M.schedule_request(bufnr, trigger)
  local view = view_of(bufnr)
  local is_scheduled = view.scheduled ~= nil
  view.scheduled = (view.scheduled == "typed" or trigger == "typed") and "typed" or "cursor"
  if not is_scheduled then
    vim.schedule(function()
      if view.scheduled and vim.api.nvim_buf_is_valid(bufnr) then
        local combined = view.scheduled
        view.scheduled = nil
        M.request(bufnr, combined)
      end
    end)
  end
end

--- Handle a change of the text: a hint of another buffer goes while the user types on.
---@param bufnr integer
function M.on_text_changed(bufnr)
  local view = view_of(bufnr)
  accepted_there = nil -- the user goes on by hand
  if view.is_drawn and view.current and view.current.bufnr ~= bufnr then
    view.has_typed_over = true
    clear_predictions(bufnr)
  end
  M.redraw(bufnr)
  M.schedule_request(bufnr, "typed")
end

--- Request a prediction again for the same buffer state: the server has a better answer than its last one.
---@param document {uri: string, version: integer}
function M.refresh(document)
  local bufnr = vim.uri_to_bufnr(document.uri)
  if views[bufnr] and vim.lsp.util.buf_versions[bufnr] == document.version then
    views[bufnr].requested_state = nil
    M.request(bufnr, views[bufnr].requested_trigger == "paused" and "paused" or "cursor")
  end
end

--- Handle changed diagnostics: their fix may be a next edit.
---@param bufnr integer
function M.on_diagnostics_changed(bufnr)
  if views[bufnr] then
    views[bufnr].diagnostics_changed = true
    M.schedule_request(bufnr, "cursor")
  end
end

--- Return the prediction on the screen of a buffer.
---@param bufnr integer|nil
---@return editahead.Prediction|nil
function M.visible(bufnr)
  local view = views[bufnr or current_buffer()]
  return view and view.is_drawn and not activity.is_menu_open() and view.current or nil
end

--- Return the index of the current prediction among the alternatives.
---@param bufnr integer
---@return integer|nil
function M.index(bufnr)
  local view = view_of(bufnr)
  for index, prediction in ipairs(view.predictions) do
    if prediction == view.current then
      return index
    end
  end
end

--- Return whether the shown prediction has alternatives.
---@return boolean
function M.has_alternatives()
  return M.visible() ~= nil and #view_of(current_buffer()).predictions > 1
end

--- Show the alternative `step` places further in the cyclic list of predictions, without those that no longer apply.
---@param step integer
---@return boolean  whether an alternative is shown
function M.show_alternative(step)
  local bufnr = current_buffer()
  local view = view_of(bufnr)
  for i = 1, M.has_alternatives() and #view.predictions - 1 or 0 do
    local other = view.predictions[(M.index(bufnr) - 1 + step * i) % #view.predictions + 1]
    if not other.bufnr or other:live_edits() then
      view.current, view.is_chosen = other, true
      M.redraw(bufnr)
      return true
    end
  end
  return false
end

--- Return why the last response has no prediction.
function M.silence()
  local view = views[current_buffer()]
  return view and view.silence
end

--- Return the ghost text at the cursor, if ghost text is shown.
function M.ghost_text()
  local prediction = M.visible()
  local live = prediction and prediction:live_edits()
  if not live then
    return nil
  end
  local cursor = vim.api.nvim_win_get_cursor(0)
  return render.ghost_text(live, cursor[1] - 1, cursor[2])
end

local function accept_whole(bufnr, prediction, live)
  client.report_outcome(bufnr, prediction.id, "accepted", { shownMs = prediction:shown_ms() })
  if prediction:is_elsewhere(live, bufnr, vim.api.nvim_win_get_cursor(0)[1] - 1) then
    jump.go_to(prediction, live)
  end
  local cursor = prediction:apply(live)
  view_of(bufnr).accepted_undo = vim.fn.undotree(bufnr).seq_cur
  vim.api.nvim_win_set_cursor(0, cursor)
  clear_predictions(bufnr)
  M.request(bufnr, "accepted")
end

-- Return the current prediction and its edits at their present ranges.
local function current_prediction(bufnr)
  local view = views[bufnr]
  local prediction = view and view.current
  local live = prediction and (not prediction.bufnr and {} or prediction:live_edits())
  return prediction, live
end

--- Show all of a prediction of which only the mark is shown.
---@return boolean  whether there was more to show
function M.reveal()
  local view = views[current_buffer()]
  if not view or not is_subtle(view) then
    return false
  end
  view.revealed = view.current.id
  M.redraw(current_buffer())
  return true
end

-- Go to the prediction, in whichever buffer it is.
local function go_to(prediction, live)
  jump.go_to(prediction, live)
  M.redraw(current_buffer())
  M.schedule_request(current_buffer(), "cursor")
  return "jumped"
end

--- Accept the prediction of the buffer that was opened for it.
---@param bufnr integer
function M.accept_there(bufnr)
  local prediction, live = current_prediction(bufnr)
  if not accepted_there or not prediction or accepted_there.id ~= prediction.id or prediction.bufnr ~= bufnr then
    return
  end
  local is_in_time = vim.uv.now() <= accepted_there.until_ms
  accepted_there = nil
  if is_in_time and live and #live > 0 and bufnr == current_buffer() and vim.bo[bufnr].modifiable then
    accept_whole(bufnr, prediction, live)
  end
end

--- Accept the prediction. Show its code first where it is out of sight, or all of it where only its mark is shown. With the
--- option `jump_first`, go there before.
---@return "revealed"|"previewed"|"jumped"|"applied"|"nothing"
function M.accept()
  local bufnr = current_buffer()
  local prediction, live = current_prediction(bufnr)
  if not prediction or not live then
    return "nothing"
  end
  if M.reveal() then
    return "revealed"
  end
  if prediction:is_elsewhere(live, bufnr, vim.api.nvim_win_get_cursor(0)[1] - 1) then
    if config.options.jump_first or #prediction.response.edits == 0 then
      return go_to(prediction, live)
    end
    if not prediction:is_in_sight(live) and prediction:preview() and views[bufnr].previewed ~= prediction.id then
      views[bufnr].previewed = prediction.id
      M.redraw(bufnr)
      return "previewed"
    end
    if prediction.bufnr ~= bufnr then
      accepted_there = { id = prediction.id, until_ms = vim.uv.now() + ACCEPT_THERE_MS }
      return go_to(prediction, live)
    end
  end
  if #live == 0 or not tracked_edit.check_modifiable(bufnr) then
    return "nothing"
  end
  accept_whole(bufnr, prediction, live)
  return "applied"
end

--- Accept the next words or lines of the prediction; go to the prediction first when the cursor is elsewhere.
---@param kind "word"|"line"
---@param count integer|nil
---@return "revealed"|"jumped"|"applied"|"nothing"
function M.accept_part(kind, count)
  local bufnr = current_buffer()
  local prediction, live = current_prediction(bufnr)
  if not prediction or not live then
    return "nothing"
  end
  if is_subtle(views[bufnr]) then
    return M.accept()
  end
  if prediction:is_elsewhere(live, bufnr, vim.api.nvim_win_get_cursor(0)[1] - 1) then
    return go_to(prediction, live)
  end
  local part = prediction:next_part(live, kind, count or 1)
  if not part or not tracked_edit.check_modifiable(bufnr) then
    return "nothing"
  end
  if part.is_last then
    accept_whole(bufnr, prediction, live)
    return "applied"
  end
  client.report_outcome(bufnr, prediction.id, "partiallyAccepted", {
    acceptedLength = part.accepted_length,
    shownMs = prediction:shown_ms(),
  })
  vim.api.nvim_win_set_cursor(0, prediction:apply_part(part))
  M.redraw(bufnr)
  M.schedule_request(bufnr, "typed")
  return "applied"
end

--- Reject the shown prediction.
---@return boolean
function M.reject()
  local bufnr = current_buffer()
  local prediction = views[bufnr] and views[bufnr].current
  if not prediction then
    return false
  end
  accepted_there = nil
  cancel(views[bufnr])
  views[bufnr].generation = views[bufnr].generation + 1
  client.report_outcome(bufnr, prediction.id, "rejected", { shownMs = prediction:shown_ms() })
  clear_predictions(bufnr)
  return true
end

--- Request a prediction now, and go there.
function M.go()
  local bufnr = current_buffer()
  M.request(bufnr, "manual", function()
    if bufnr ~= current_buffer() then
      return
    end
    local prediction, live = current_prediction(bufnr)
    if prediction and live then
      if prediction:is_elsewhere(live, bufnr, vim.api.nvim_win_get_cursor(0)[1] - 1) then
        go_to(prediction, live)
      end
    else
      local silence = views[bufnr].silence
      vim.api.nvim_echo({ { "Editahead: " .. (silence and silence.detail or "The server has no prediction here.") } }, false, {})
    end
  end)
end

-- Clear or request predictions after a change of `activity`.
local function on_activity_changed()
  local is_active = activity.is_active()
  for bufnr, view in pairs(views) do
    view.requested_state = nil
    if not is_active then
      cancel(view)
      view.generation = view.generation + 1
      clear_predictions(bufnr)
    end
  end
  if is_active then
    M.schedule_request(current_buffer(), "cursor")
  end
end

--- Turn the predictions on or off, in later sessions too.
---@param is_enabled boolean
function M.set_enabled(is_enabled)
  activity.set_enabled(is_enabled)
  on_activity_changed()
end

--- Show nothing for some minutes.
---@param minutes number
function M.snooze(minutes)
  activity.snooze(minutes, on_activity_changed)
  on_activity_changed()
end

--- Forget a buffer whose server has stopped, and its predictions.
---@param bufnr integer
function M.detach(bufnr)
  if views[bufnr] then
    clear_predictions(bufnr)
    views[bufnr] = nil
  end
end

return M
