// The answer to the server's question about a symbol, made of what other language servers say.
import type { DocumentVersion } from "./protocol";
import type { Range } from "./text";

/** The time after which an answer is not waited for. No key ever waits. */
const BUDGET_MS = 300;

export interface AskEvidence {
  readonly textDocument: DocumentVersion;
  readonly symbol: { readonly range: Range; readonly old: string; readonly new: string };
}

export interface LspPlace {
  readonly uri: string;
  readonly range: Range;
}

export interface LspRename extends LspPlace {
  readonly newText: string;
}

export interface Evidence extends AskEvidence {
  readonly renames: readonly LspRename[];
  readonly references: readonly LspPlace[];
  readonly source: string;
  readonly complete: boolean;
}

/**
 * Return what is sent to the server; undefined when nothing is known.
 *
 * @param source A name for the servers that were asked.
 * @param answers The places of the rename and those that refer to the symbol; undefined for an answer that did not come in time.
 */
export function evidenceOf(
  asked: AskEvidence,
  source: string,
  [renames, references]: readonly [readonly LspRename[] | undefined, readonly LspPlace[] | undefined],
): Evidence | undefined {
  if ((renames ?? []).length === 0 && (references ?? []).length === 0) return undefined;
  return { ...asked, renames: renames ?? [], references: references ?? [], source, complete: references !== undefined };
}

/** Return the result of a promise; undefined when it does not come within the budget. */
export function withinBudget<T>(promise: Promise<T>, budgetMs: number = BUDGET_MS): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), budgetMs);
    void promise
      .then(resolve, () => resolve(undefined))
      .finally(() => clearTimeout(timer));
  });
}
