// What goes over the wire: docs/protocol.md has the words to it.
import type { Position, Range } from "./text";

export interface TextEdit {
  readonly range: Range;
  readonly newText: string;
}

export interface WirePrediction {
  readonly id: string;
  readonly textDocument: { readonly uri: string; readonly version: number | null };
  readonly edits: readonly TextEdit[];
  readonly jump: Position | null;
  readonly cursorAfter: Position;
  readonly confidence: number;
  readonly source: string;
  readonly label: string;
}

export interface Silence {
  readonly reason: string;
  readonly detail: string;
}

export interface NextEditResult {
  readonly predictions: readonly WirePrediction[];
  readonly silence: Silence | null;
}

export type Trigger = "typed" | "cursor" | "accepted" | "manual";
export type Outcome = "shown" | "accepted" | "partiallyAccepted" | "rejected" | "ignored";

export interface WhyResult {
  readonly shown: readonly string[];
  readonly silence: Silence | null;
  readonly candidates: readonly { source: string; label: string; confidence: number; verdict: string }[];
}

export interface StatusResult {
  readonly version: string;
  readonly backend: { readonly name: string; readonly state: string; readonly detail: string };
  readonly model: string | null;
  readonly documents: number;
  readonly latency: { readonly p50: number; readonly p95: number };
  readonly outcomes: { readonly shown: number; readonly accepted: number; readonly rejected: number };
}

/** The data of a refused `editahead.apply`. */
export interface Refusal {
  readonly reason: string;
  readonly part: string;
  readonly near: readonly { readonly uri?: string; readonly range: Range; readonly similarity: number }[];
  /** What came of asking a model, a sentence; "" where none was asked. */
  readonly model: string;
}
