// Messages for the user: the status bar, the reasons for a prediction or for none, and refused sketches.
import type { Choice, FinishResult, Prediction, Refusal, Silence, StatusResult, WhyResult } from "./protocol";

export type ServerState = "installing" | "starting" | "running" | "stopped";

export interface StatusBarState {
  readonly server: ServerState | "off";
  readonly isRequesting: boolean;
  /** A description of the shown prediction; undefined when nothing is shown. */
  readonly nextEdit: string | undefined;
  readonly silence: Silence | undefined;
  /** Why the server is stopped. */
  readonly error: string | undefined;
  /** How many places the change still lacks, such as "3 places left"; "" for none. */
  readonly placesLeft: string;
}

export interface StatusBarContent {
  readonly text: string;
  readonly tooltip: string;
  readonly isWarning: boolean;
}

const NOT_RUNNING: Record<"installing" | "starting" | "off", StatusBarContent> = {
  installing: { text: "$(sync~spin) Editahead", tooltip: "The extension is installing the server.", isWarning: false },
  starting: { text: "$(sync~spin) Editahead", tooltip: "The server is starting.", isWarning: false },
  off: { text: "$(circle-slash) Editahead", tooltip: "Editahead is off or snoozed in this workspace.", isWarning: false },
};

/** Reasons for silence that last for the whole file. */
const FILE_REASONS = new Set(["excluded", "too-large", "language-off"]);

/** Return the content of the status bar item. */
export function statusBarContent(state: StatusBarState): StatusBarContent {
  const content = predictionContent(state);
  if (state.server !== "running" || state.placesLeft === "") return content;
  const { text, tooltip, isWarning } = content;
  return { text: `${text}: ${state.placesLeft}`, tooltip: `${tooltip} Your change: ${state.placesLeft}.`, isWarning };
}

function predictionContent(state: StatusBarState): StatusBarContent {
  const { server, silence } = state;
  if (server === "stopped") {
    return { text: "$(error) Editahead", tooltip: state.error ?? "The server is not running.", isWarning: true };
  }
  if (server !== "running") return NOT_RUNNING[server];
  if (silence?.reason === "engine-unavailable") {
    return { text: "$(debug-disconnect) Editahead", tooltip: `The model is unreachable: ${silence.detail}`, isWarning: true };
  }
  if (state.isRequesting) {
    return { text: "$(loading~spin) Editahead", tooltip: "The server is predicting your next edit.", isWarning: false };
  }
  if (state.nextEdit !== undefined) {
    return { text: "$(arrow-right) Editahead", tooltip: `Your next edit: ${state.nextEdit}.`, isWarning: false };
  }
  if (silence !== undefined && FILE_REASONS.has(silence.reason)) {
    return { text: "$(circle-slash) Editahead", tooltip: `Editahead skips this file: ${silence.detail}`, isWarning: false };
  }
  const why = silence === undefined ? "" : ` No prediction here: ${silence.detail}`;
  return { text: "$(check) Editahead", tooltip: `Ready.${why}`, isWarning: false };
}

const SOURCE_REASONS: Readonly<Record<string, string>> = {
  propagation: "the edit repeats your recent changes",
  completion: "the edit continues what you type, as similar lines do",
  diagnostic: "the edit fixes a reported problem",
  local: "the model proposed the edit",
  engine: "the model proposed the edit",
};

/** Describe a prediction, its confidence and its source. */
export function describePrediction({ label, source, confidence }: Prediction): string {
  return `Editahead: ${label}. Confidence ${Math.round(100 * confidence)} %: ${SOURCE_REASONS[source] ?? source}.`;
}

/** Describe why the last prediction was shown or not, with one line for each candidate. */
export function describeWhy(why: WhyResult): string {
  const shown = why.candidates.find((candidate) => candidate.verdict === "shown");
  const lines = [
    why.silence !== null
      ? `Editahead shows nothing: ${why.silence.detail}`
      : shown !== undefined
        ? `Editahead shows “${shown.label}”: ${SOURCE_REASONS[shown.source] ?? shown.source}.`
        : "Editahead has no prediction here yet. Change something first.",
  ];
  for (const { confidence, label, source, verdict, threshold } of why.candidates) {
    const isUnlikely = verdict === "below-threshold" && threshold !== undefined;
    const result = isUnlikely ? `needs more than ${Math.round(100 * threshold)} %` : verdict.replaceAll("-", " ");
    lines.push(`  ${Math.round(100 * confidence)} %  ${label} (${source}): ${result}`);
  }
  return lines.join("\n");
}

/** Describe the server's version, backend, latency and outcomes in one line. */
export function describeStatus(status: StatusResult): string {
  const { backend, latency, outcomes } = status;
  const detail = backend.detail === "" ? "" : `: ${backend.detail}`;
  return [
    `Editahead ${status.version}, ${backend.name} (${backend.state}${detail})${status.model === null ? "" : `, ${status.model}`}`,
    `documents: ${status.documents}`,
    `latency: ${latency.p50.toFixed(0)} ms (p50), ${latency.p95.toFixed(0)} ms (p95)`,
    `shown: ${outcomes.shown}, accepted: ${outcomes.accepted}, rejected: ${outcomes.rejected}`,
  ].join(" · ");
}

/** Describe a change that lacks nothing. */
export function describeComplete({ looked }: FinishResult): string {
  const rules = looked.rules === 1 ? "1 rule tells" : `${looked.rules} rules tell`;
  return `Editahead: Complete, as far as ${rules}. Files searched: ${looked.files}.`;
}

/** Describe what a person must look at, because no edit is sure there; undefined for nothing. */
export function describeUses({ uses, unsearched }: FinishResult): string | undefined {
  const found = uses.length === 1 ? "1 use to look at" : `${uses.length} uses to look at`;
  const why = [...new Set(uses.map((use) => use.why))].join(" ");
  const rest = unsearched.length === 0 ? "" : ` Not all files with ${unsearched.join(", ")} were looked at.`;
  if (uses.length > 0) return `Editahead: ${found}. ${why}${rest}`;
  return rest === "" ? undefined : `Editahead:${rest}`;
}

const REFUSAL_REASONS: Readonly<Record<string, string>> = {
  unplaced: "no code resembles one part of the sketch",
  ambiguous: "one part of the sketch fits several places",
  unparsed: "the sketch cannot be parsed",
  "would-break-syntax": "the result would have a syntax error",
  "would-lose-code": "the result would lose code that the sketch does not mention",
  stale: "the document has changed since the request",
  "outside-workspace": "the sketch names a file outside the workspace",
  "too-large": "the sketch is too large",
  "engine-unavailable": "this sketch needs a model, and none is available",
};

/** Characters of the refused part that a notification quotes: what fits on its one line. */
const MAX_QUOTED_LENGTH = 60;

/** Describe a refusal: the reason, the refused part, and the model's attempt. */
export function describeRefusal(refusal: Refusal, message: string): string {
  const [first = ""] = refusal.part.trim().split("\n");
  const part = first.length > MAX_QUOTED_LENGTH ? `${first.slice(0, MAX_QUOTED_LENGTH)}…` : first;
  const quoted = part === "" ? "" : ` The part is “${part}”.`;
  const model = refusal.model === "" ? "" : ` ${refusal.model}`;
  return `Nothing was changed: ${REFUSAL_REASONS[refusal.reason] ?? message.replace(/\.$/, "")}.${quoted}${model}`;
}

/** Parse the data of an error response; undefined unless the data is a refusal. */
export function parseRefusal(data: unknown): Refusal | undefined {
  if (typeof data !== "object" || data === null || !("reason" in data) || typeof data.reason !== "string") return undefined;
  const { reason, part, near, model, choices } = data as Record<keyof Refusal, unknown> & { reason: string };
  return {
    reason,
    part: typeof part === "string" ? part : "",
    near: Array.isArray(near) ? near : [],
    model: typeof model === "string" ? model : "",
    choices: Array.isArray(choices) ? choices : [],
  };
}

/** Describe the places of a choice, with line numbers from 1. */
export function describePlaces(places: Choice["places"]): string {
  return places.map(({ uri, line }) => `${decodeURIComponent(uri.slice(uri.lastIndexOf("/") + 1))}, line ${line + 1}`).join("; ");
}

/** Return the last line of a program's output that says something. */
export function lastLine(output: string): string {
  const lines = output.split(/[\r\n]+/).map((line) => line.trim());
  return lines.reverse().find((line) => line !== "") ?? "";
}
