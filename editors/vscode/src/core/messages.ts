// What is said to the person: the status bar, the reason for silence, refusals of a sketch.
import type { Refusal, Silence, StatusResult, WhyResult, WirePrediction } from "./protocol";

export type Health = "installing" | "starting" | "running" | "gone" | "off";

export interface Present {
  readonly health: Health;
  readonly thinking: boolean;
  /** What is shown, in words; undefined: nothing. */
  readonly next: string | undefined;
  readonly silence: Silence | undefined;
  /** What is wrong, when the server is gone. */
  readonly problem: string | undefined;
}

export interface StatusText {
  readonly text: string;
  readonly tooltip: string;
  readonly warns: boolean;
}

const STANDING: Record<Exclude<Health, "running" | "gone">, StatusText> = {
  installing: { text: "$(sync~spin) Editahead", tooltip: "The server is being installed.", warns: false },
  starting: { text: "$(sync~spin) Editahead", tooltip: "The server is starting.", warns: false },
  off: { text: "$(circle-slash) Editahead", tooltip: "Editahead is off.", warns: false },
};

/** Reasons that a person may want to do something about. */
const WORTH_SAYING = new Set(["excluded", "too-large", "language-off"]);

export function statusText(present: Present): StatusText {
  if (present.health === "gone") {
    return { text: "$(error) Editahead", tooltip: present.problem ?? "The server is not running.", warns: true };
  }
  if (present.health !== "running") return STANDING[present.health];
  const { silence } = present;
  if (silence?.reason === "engine-unavailable") {
    return { text: "$(debug-disconnect) Editahead", tooltip: `The model cannot be reached: ${silence.detail}`, warns: true };
  }
  if (present.thinking) return { text: "$(loading~spin) Editahead", tooltip: "Looking for your next edit.", warns: false };
  if (present.next !== undefined) {
    return { text: "$(arrow-right) Editahead", tooltip: `Tab goes to your next edit: ${present.next}.`, warns: false };
  }
  if (silence !== undefined && WORTH_SAYING.has(silence.reason)) {
    return { text: "$(circle-slash) Editahead", tooltip: `Silent here: ${silence.detail}`, warns: false };
  }
  const why = silence === undefined ? "" : ` Silent now (${silence.reason}): ${silence.detail}`;
  return { text: "$(check) Editahead", tooltip: `Ready.${why}`, warns: false };
}

const BECAUSE: Readonly<Record<string, string>> = {
  propagation: "it follows from your last changes",
  completion: "it continues what you type, like other lines here",
  diagnostic: "it answers a problem that is reported here",
  local: "the model proposes it",
  engine: "the model proposes it",
};

/** What a prediction is, and why it is shown. */
export function becauseText({ label, source, confidence }: WirePrediction): string {
  return `Editahead: ${label}. ${Math.round(100 * confidence)} % sure: ${BECAUSE[source] ?? source}.`;
}

/** What the last prediction weighed, and why it is shown or not. */
export function whyText(why: WhyResult): string {
  const shown = why.candidates.find((one) => one.verdict === "shown");
  const lines = [
    why.silence !== null
      ? `Editahead shows nothing (${why.silence.reason}): ${why.silence.detail}`
      : shown !== undefined
        ? `Editahead shows “${shown.label}”: ${BECAUSE[shown.source] ?? shown.source}.`
        : "Editahead has predicted nothing here yet.",
  ];
  for (const one of why.candidates) {
    lines.push(`  ${Math.round(100 * one.confidence)} %  ${one.label} (${one.source}): ${one.verdict}`);
  }
  return lines.join("\n");
}

export function serverText(status: StatusResult): string {
  const { backend, latency, outcomes } = status;
  const detail = backend.detail === "" ? "" : `: ${backend.detail}`;
  return [
    `Editahead ${status.version}, ${backend.name} (${backend.state}${detail})${status.model === null ? "" : `, ${status.model}`}`,
    `documents: ${status.documents}`,
    `answers: ${latency.p50.toFixed(0)} ms (half), ${latency.p95.toFixed(0)} ms (95 %)`,
    `shown: ${outcomes.shown}, accepted: ${outcomes.accepted}, refused: ${outcomes.rejected}`,
  ].join(" · ");
}

const REASONS: Readonly<Record<string, string>> = {
  unplaced: "no place is like a part of it",
  ambiguous: "a part of it fits several places",
  unparsed: "it cannot be read",
  "would-break-syntax": "the result would not parse",
  "would-lose-code": "code would be lost that it does not mention",
  stale: "the text has changed meanwhile",
  "outside-workspace": "it names a file outside of the workspace",
  "too-large": "it is too large",
  "engine-unavailable": "it takes a model, and there is none",
};

/** So much of a refused part is repeated. */
const REPEATED = 60;

export function refusalText(refusal: Refusal, message: string): string {
  const [first = ""] = refusal.part.trim().split("\n");
  const part = first.length > REPEATED ? `${first.slice(0, REPEATED)}…` : first;
  const about = part === "" ? "" : ` It is about “${part}”.`;
  const model = refusal.model === "" ? "" : ` ${refusal.model}`;
  return `Nothing was changed: ${REASONS[refusal.reason] ?? message} (${refusal.reason}).${about}${model}`;
}

/** The data of an error, if it is a refusal of a sketch. */
export function refusalOf(data: unknown): Refusal | undefined {
  if (typeof data !== "object" || data === null || !("reason" in data) || typeof data.reason !== "string") return undefined;
  const { reason, part, near, model } = data as { reason: string; part?: unknown; near?: unknown; model?: unknown };
  return {
    reason,
    part: typeof part === "string" ? part : "",
    near: Array.isArray(near) ? near : [],
    model: typeof model === "string" ? model : "",
  };
}
