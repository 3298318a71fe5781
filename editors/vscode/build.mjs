// node build.mjs: dist/extension.js, one file, without the modules that VS Code brings.
// node build.mjs --test: the tests that need no VS Code, one file each, into dist/test.
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
