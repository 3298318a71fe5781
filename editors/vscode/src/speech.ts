// Speech: what a screen reader says when an edit is drawn, and the whole edit as a text to read. Ghost text is VS Code's own.
import * as vscode from "vscode";
import { describePrediction } from "./core/messages";
import { announcementOf, editAsText, type SpokenEdit } from "./core/speech";
import { changedLines, trackEdits } from "./core/trackedEdit";
import { textOf } from "./document";
import type { ShownPrediction } from "./shownPrediction";
import type { OnScreen, View } from "./view";

const SCHEME = "editahead-speech";
/** The pause without a key before anything is said: speech ends the echo of what was typed. */
const PAUSE_MS = 700;
/** The time for which a message is shown. VS Code says it at once; after 5 s it would also play a sound. */
const SHOWN_MS = 3_000;

export class Speech implements vscode.Disposable {
  private timer: NodeJS.Timeout | undefined;
  /** What was said last, while it is true. */
  private said: string | undefined;
  private opened = 0;
  private text = "";
  private readonly subscription: vscode.Disposable;

  constructor(private readonly view: View) {
    const provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, { provideTextDocumentContent: () => this.text });
    this.subscription = vscode.Disposable.from(provider, view.onDidChange(() => this.schedule()));
  }

  /** Open the edit on the screen as a text that cannot be changed. */
  async readEdit(): Promise<void> {
    const { onScreen } = this.view;
    if (onScreen === undefined) {
      void vscode.window.showInformationMessage("Editahead: No edit is shown. Run “Editahead: Why No Prediction?” for the reason.");
      return;
    }
    const { prediction } = onScreen;
    this.text = editAsText(spoken(onScreen), describePrediction(prediction.prediction), changesOf(prediction));
    // VS Code keeps documents for a while; a new URI has a new text.
    const uri = vscode.Uri.from({ scheme: SCHEME, path: "/Next Edit", query: `${++this.opened}` });
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscription.dispose();
  }

  private schedule(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.announce(), PAUSE_MS);
  }

  private announce(): void {
    const { onScreen } = this.view;
    if (onScreen === undefined || onScreen.isGhostText || !isSpeechWanted()) {
      this.said = undefined;
      return;
    }
    const text = announcementOf(spoken(onScreen));
    if (text === this.said) return;
    this.said = text;
    const options = { location: vscode.ProgressLocation.Notification, title: text };
    void vscode.window.withProgress(options, () => new Promise((resolve) => setTimeout(resolve, SHOWN_MS)));
  }
}

function spoken({ prediction, ...others }: OnScreen): SpokenEdit {
  return { ...others, description: prediction.description, preview: prediction.preview };
}

function changesOf({ uri, edits, prediction }: ShownPrediction): ReturnType<typeof changedLines> | undefined {
  const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
  if (document === undefined) return undefined;
  const text = textOf(document);
  return changedLines(edits ?? trackEdits(prediction.edits, text), text);
}

// VS Code tells extensions what the user has set, but not whether it has found a screen reader by itself.
function isSpeechWanted(): boolean {
  const wanted = vscode.workspace.getConfiguration("editahead").get<string>("announcements", "auto");
  const support = vscode.workspace.getConfiguration("editor").get<string>("accessibilitySupport");
  return wanted === "on" || (wanted === "auto" && support === "on");
}
