// node package.mjs WHEEL: write dist/editahead.vsix with the server's wheel, and list its files and size. lighten_wheel.py removes the weights and the training from the wheel.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createVSIX, listFiles } from "@vscode/vsce";

// A guard against files that do not belong here, such as weights: the code alone has 2.0 MB.
const MAX_BYTES = 2_200_000;
const EXPECTED = [/^package\.json$/, /^readme\.md$/i, /^LICENSE$/, /^dist\/extension\.js$/, /^media\/[\w.-]+\.(md|svg|png)$/, /^server\/[\w.-]+\.whl$/];

const { repository } = JSON.parse(readFileSync("package.json", "utf8"));
const [wheel] = process.argv.slice(2);
if (wheel === undefined) throw new Error("usage: node package.mjs WHEEL");
rmSync("server", { recursive: true, force: true });
mkdirSync("server");
execFileSync("python3", ["lighten_wheel.py", wheel, "server"], { stdio: "inherit" });
copyFileSync("../../LICENSE", "LICENSE");
const files = await listFiles({ packageManager: 0 });
const unexpected = files.filter((name) => !EXPECTED.some((pattern) => pattern.test(name)));
const missing = EXPECTED.filter((pattern) => !files.some((name) => pattern.test(name)));
if (unexpected.length > 0 || missing.length > 0) {
  throw new Error(`unexpected files: ${unexpected.join(", ")}; missing files: ${missing.join(", ")}`);
}
const folder = `${repository.url.replace(/\.git$/, "")}/blob/HEAD/${repository.directory}`;
await createVSIX({
  packagePath: "dist/editahead.vsix",
  dependencies: false,
  baseContentUrl: folder,
  baseImagesUrl: folder.replace("/blob/", "/raw/"),
});
const size = statSync("dist/editahead.vsix").size;
if (size > MAX_BYTES) throw new Error(`the package has ${size} bytes; at most ${MAX_BYTES} are allowed`);
console.log([...files, `${size} bytes`].join("\n"));
