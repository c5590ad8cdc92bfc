// Writes what static/ holds beside app.css and app.js: the two themes of the
// footer's switch, the fonts and the map library. Run by `make styles`.
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import subset from "subset-font";
import { dark, light, variables } from "../../tailwind.config.js";

const out = join(dirname(fileURLToPath(import.meta.url)), "..");
const require = createRequire(import.meta.url);
const folder = (name) => dirname(require.resolve(`${name}/package.json`));

const theme = (name, tokens) => {
  const rules = { "color-scheme": name, ...variables(tokens), "--now-system": "transparent", [`--now-${name}`]: "var(--ink)" };
  return `:root{${Object.entries(rules).map(([key, value]) => `${key}:${value}`).join(";")}}\n`;
};
await writeFile(join(out, "theme-light.css"), theme("light", light));
await writeFile(join(out, "theme-dark.css"), theme("dark", dark));

const range = (from, to) => String.fromCodePoint(...Array.from({ length: to - from + 1 }, (_, i) => from + i));
const latin = range(0x20, 0x7e) + range(0xa0, 0xff) + "ıŒœˆ˚˜‐‑‒–—‘’‚“”„•…′″‹›€™←↑→↓−∕";
// Latin Extended-A, and of the letters of Yoruba and Igbo those that the fonts
// have; a browser takes what is missing from its own.
const extended = range(0x100, 0x17f) + "Ṣṣ";
const dotted = "ẸẹỌọỊịỤụ" + range(0x300, 0x304) + "\u0323";

// The serif is for headlines only: its optical size stands still at a display
// cut, which halves the file. Both keep their weight axis, 400 to 700.
const weights = { min: 400, max: 700 };
const fraunces = { opsz: 60, SOFT: 50, WONK: 0, wght: weights };
const fonts = [
  ["fraunces", "fraunces-latin-full-normal", "fraunces", latin, fraunces],
  ["fraunces", "fraunces-latin-full-italic", "fraunces-italic", latin, fraunces],
  ["fraunces", "fraunces-latin-ext-full-normal", "fraunces-extended", extended, fraunces],
  ["fraunces", "fraunces-vietnamese-full-normal", "fraunces-dotted", dotted, fraunces],
  ["atkinson-hyperlegible-next", "atkinson-hyperlegible-next-latin-wght-normal", "atkinson", latin, { wght: weights }],
  ["atkinson-hyperlegible-next", "atkinson-hyperlegible-next-latin-wght-italic", "atkinson-italic", latin, { wght: weights }],
  ["atkinson-hyperlegible-next", "atkinson-hyperlegible-next-latin-ext-wght-normal", "atkinson-extended", extended, { wght: weights }],
];
await mkdir(join(out, "fonts"), { recursive: true });
for (const [name, file, target, text, variationAxes] of fonts) {
  const source = await readFile(join(folder(`@fontsource-variable/${name}`), "files", `${file}.woff2`));
  await writeFile(join(out, "fonts", `${target}.woff2`), await subset(source, text, { targetFormat: "woff2", variationAxes }));
  await cp(join(folder(`@fontsource-variable/${name}`), "LICENSE"), join(out, "fonts", `OFL-${name}.txt`));
}

const leaflet = folder("leaflet");
await mkdir(join(out, "leaflet", "images"), { recursive: true });
for (const file of ["leaflet.css", "leaflet.js", "images/layers.png", "images/layers-2x.png", "images/marker-icon.png"]) {
  await cp(join(leaflet, "dist", file), join(out, "leaflet", file));
}
await cp(join(leaflet, "LICENSE"), join(out, "leaflet", "LICENSE"));
