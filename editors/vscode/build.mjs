// node build.mjs: bundle the extension into dist/extension.js.
// node build.mjs --test: bundle each test file into dist/test. These tests need no VS Code.
import { readdirSync, rmSync } from "node:fs";
import { build } from "esbuild";

const shared = { bundle: true, platform: "node", target: "node20", logLevel: "warning" };

if (process.argv.includes("--test")) {
  rmSync("dist/test", { recursive: true, force: true });
  const entryPoints = readdirSync("test").map((name) => `test/${name}`);
  await build({ ...shared, entryPoints, outdir: "dist/test", format: "esm", outExtension: { ".js": ".mjs" }, sourcemap: "inline" });
} else {
  const entryPoints = ["src/extension.ts"];
  await build({ ...shared, entryPoints, outfile: "dist/extension.js", format: "cjs", external: ["vscode"], minify: true });
}
