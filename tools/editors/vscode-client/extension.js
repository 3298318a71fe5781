// EDITAHEAD_COMMAND: the server's command line, as JSON.
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const [command, ...args] = JSON.parse(process.env.EDITAHEAD_COMMAND);
  const documentSelector = [{ scheme: "file" }];
  client = new LanguageClient("editahead", "Editahead", { command, args }, { documentSelector });
  return client.start();
};

exports.deactivate = () => client?.stop();
