// node package.mjs WHEEL: dist/editahead.vsix, with the server's wheel in it (without the model, see without_weights.py); says what is in it and how large it is.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, statSync } from "node:fs";
import { createVSIX, listFiles } from "@vscode/vsce";

const MOST_BYTES = 1_000_000;
const WANTED = [/^package\.json$/, /^readme\.md$/i, /^LICENSE$/, /^dist\/extension\.js$/, /^media\/[\w.-]+\.(md|svg|png)$/, /^server\/[\w.-]+\.whl$/];

const [wheel] = process.argv.slice(2);
if (wheel === undefined) throw new Error("usage: node package.mjs WHEEL");
rmSync("server", { recursive: true, force: true });
mkdirSync("server");
execFileSync("python3", ["without_weights.py", wheel, "server"], { stdio: "inherit" });
copyFileSync("../../LICENSE", "LICENSE");
const files = await listFiles({ packageManager: 0 });
const strangers = files.filter((name) => !WANTED.some((pattern) => pattern.test(name)));
const missing = WANTED.filter((pattern) => !files.some((name) => pattern.test(name)));
if (strangers.length > 0 || missing.length > 0) {
  throw new Error(`in the package, but not wanted: ${strangers.join(", ")}; wanted, but not there: ${missing.join(", ")}`);
}
await createVSIX({ packagePath: "dist/editahead.vsix", dependencies: false, allowMissingRepository: true });
const size = statSync("dist/editahead.vsix").size;
if (size > MOST_BYTES) throw new Error(`the package has ${size} bytes; at most ${MOST_BYTES} are allowed`);
console.log([...files, `${size} bytes`].join("\n"));
