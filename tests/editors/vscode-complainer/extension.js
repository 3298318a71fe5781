const vscode = require("vscode");

exports.activate = (context) => {
  const problems = vscode.languages.createDiagnosticCollection("complainer");
  const complain = (document) => {
    const found = [...document.getText().matchAll(/\btotl\b/g)].map(({ index }) => {
      const range = new vscode.Range(document.positionAt(index), document.positionAt(index + 4));
      return Object.assign(new vscode.Diagnostic(range, 'Undefined name "totl". Did you mean "total"?'), { source: "complainer" });
    });
    problems.set(document.uri, found);
  };
  vscode.workspace.textDocuments.forEach(complain);
  context.subscriptions.push(
    problems,
    vscode.workspace.onDidOpenTextDocument(complain),
    vscode.workspace.onDidChangeTextDocument((event) => complain(event.document)),
  );
};
