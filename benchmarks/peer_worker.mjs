// Extract main text by one other program: the side of peers.py that runs in Node.
//
//     node peer_worker.mjs FOLDER defuddle|readability.js
//
// FOLDER has the packages. Input and answers are those of peer_worker.py.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, program] = process.argv.slice(2);
const modules = join(folder, "node_modules");
const require = createRequire(join(folder, "package.json"));
const write = (answer) => process.stdout.write(JSON.stringify(answer) + "\n");
console.log = console.info = console.debug = console.error; // libraries print

const { parseHTML } = require("linkedom");
const names = { defuddle: "defuddle", "readability.js": "@mozilla/readability" };

const extractors = {
  async defuddle(html, url) {
    const { Defuddle } = await import(pathToFileURL(join(modules, "defuddle/dist/node.js")));
    // Nothing is fetched.
    return (await Defuddle(parseHTML(html).document, url, { useAsync: false })).content;
  },
  async "readability.js"(html) {
    const { Readability } = require("@mozilla/readability");
    return new Readability(parseHTML(html).document).parse()?.content ?? "";
  },
};

const manifest = readFileSync(join(modules, names[program], "package.json"), "utf8");
write({ version: JSON.parse(manifest).version });
for await (const line of createInterface({ input: process.stdin })) {
  const { html, url } = JSON.parse(line);
  try {
    write({ html: await extractors[program](html, url) });
  } catch (error) {
    write({ error: String(error).slice(0, 200) });
  }
}
