const vscode = require("vscode");

const countTabs = () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).length;
const openFiles = () => vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === "file");

exports.activate = (context) => {
  // Says in the status bar whether the window is empty.
  const item = vscode.window.createStatusBarItem("emptiness", vscode.StatusBarAlignment.Left);
  let isEmpty = false;
  const update = () => {
    isEmpty &&= countTabs() === 0;
    item.text = isEmpty && openFiles().length === 0 ? "empty" : "in use";
  };
  const empty = async () => {
    isEmpty = false;
    // VS Code keeps its key `editorHasSelection` for the next file in the same editor, until the cursor moves.
    for (const editor of vscode.window.visibleTextEditors) editor.selection = new vscode.Selection(0, 0, 0, 0);
    while (countTabs() > 0) await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    // VS Code keeps a document that an extension opened for minutes, unless its file is deleted.
    const edit = new vscode.WorkspaceEdit();
    for (const { uri } of openFiles()) edit.deleteFile(uri, { ignoreIfNotExists: true });
    await vscode.workspace.applyEdit(edit);
    for (const command of ["notifications.clearAll", "workbench.action.closePanel"]) await vscode.commands.executeCommand(command);
    isEmpty = true;
    update();
  };
  const open = async () => {
    const path = await vscode.window.showInputBox({ placeHolder: "Path" });
    await vscode.commands.executeCommand("vscode.open", vscode.Uri.file(path));
  };
  update();
  item.show();
  context.subscriptions.push(
    item,
    vscode.commands.registerCommand("testing.empty", empty),
    vscode.commands.registerCommand("testing.open", open),
    vscode.window.tabGroups.onDidChangeTabs(update),
    vscode.workspace.onDidOpenTextDocument(update),
    vscode.workspace.onDidCloseTextDocument(update),
  );
};
