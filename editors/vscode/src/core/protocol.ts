// The server's custom messages, as docs/protocol.md describes them.
import type { Position, Range } from "./text";
import type { WorkspaceEdit } from "./workspaceEdit";

export interface TextEdit {
  readonly range: Range;
  readonly newText: string;
}

export interface DocumentVersion {
  readonly uri: string;
  readonly version: number;
}

export interface Prediction {
  readonly id: string;
  readonly textDocument: { readonly uri: string; readonly version: number | null };
  readonly edits: readonly TextEdit[];
  readonly jump: Position | null;
  readonly cursorAfter: Position;
  readonly confidence: number;
  readonly source: string;
  readonly label: string;
  /** The first line that changes, for an edit elsewhere, and the number of further lines that change. */
  readonly preview?: LinePreview | null;
}

export interface LinePreview {
  readonly old: string;
  readonly new: string;
  readonly more?: number;
}

/** All places of the rule of a prediction as one edit: the result of `editahead.acceptAll`. */
export interface AcceptAllResult {
  /** For example "12 edits in 4 files". */
  readonly message: string;
  readonly edit: WorkspaceEdit;
}

export interface Silence {
  readonly reason: string;
  readonly detail: string;
}

export interface NextEditResult {
  readonly predictions: readonly Prediction[];
  readonly silence: Silence | null;
}

export type Trigger = "typed" | "cursor" | "paused" | "accepted" | "manual";
export type Outcome = "shown" | "accepted" | "partiallyAccepted" | "rejected" | "ignored";

export interface WhyResult {
  readonly shown: readonly string[];
  readonly silence: Silence | null;
  readonly candidates: readonly { source: string; label: string; confidence: number; verdict: string; threshold?: number }[];
}

export interface StatusResult {
  readonly version: string;
  readonly backend: { readonly name: string; readonly state: string; readonly detail: string };
  readonly model: string | null;
  readonly documents: number;
  readonly latency: { readonly p50: number; readonly p95: number };
  readonly outcomes: { readonly shown: number; readonly accepted: number; readonly rejected: number };
}

/** What a change still lacks: the result of `editahead.finish`. */
export interface FinishResult {
  readonly complete: boolean;
  readonly edit: WorkspaceEdit;
  readonly looked: { readonly files: number; readonly rules: number; readonly ms: number };
  readonly places: readonly unknown[];
  readonly uses: readonly LeftUse[];
  readonly unsearched: readonly string[];
}

/** A commit message: the result of `editahead.commitMessage`. */
export interface CommitMessageResult {
  readonly message: string;
  readonly subject: string;
}

/** A use of a definition that the change took away, for which there is no sure edit. */
export interface LeftUse {
  readonly uri: string;
  readonly range: Range;
  readonly text: string;
  readonly why: string;
}

/** A place in the workspace that answers a question. */
export interface SearchPlace {
  readonly uri: string;
  readonly path: string;
  readonly range: Range;
  readonly lines: readonly { readonly line: number; readonly text: string }[];
  readonly why: readonly string[];
}

/** The places that answer a question: the result of `editahead.search`. */
export interface SearchResult {
  readonly places: readonly SearchPlace[];
  readonly notice: string;
}

/** The error data of an `editahead.apply` that the server refused. */
export interface Refusal {
  readonly reason: string;
  readonly part: string;
  readonly near: readonly { readonly uri?: string; readonly range: Range; readonly similarity: number }[];
  /** A sentence about the model's attempt; "" when no model was asked. */
  readonly model: string;
  /** Plausible readings of the sketch, likeliest first. */
  readonly choices: readonly Choice[];
}

/** A plausible reading of a sketch that is not certain. */
export interface Choice {
  readonly id: string;
  readonly title: string;
  readonly places: readonly { readonly uri: string; readonly line: number }[];
  readonly diff: string;
}

/** A new problem that a planned edit would bring; its range is in the text after the edit. */
export interface Problem {
  readonly uri: string;
  readonly range: Range;
  readonly message: string;
  readonly source: string;
}
