import plugin from "tailwindcss/plugin";

// Every token of the look. The colours of a theme are CSS variables, so that
// one style sheet serves both; static/src/build.mjs writes the two themes of
// the footer's switch from the same table, and static/contrast_test.go holds
// the pairs that must stay readable.

export const light = {
  paper: "#FAF6EF", // the page
  card: "#FFFDF9", // what lies on it
  wash: "#F2EADD", // quiet areas: tags, footer, pressed things
  ink: "#1E1A16", // text
  soft: "#5E544A", // secondary text
  line: "#E4DACB", // rules that only decorate
  edge: "#8A7D6E", // borders that show where a control is (3:1)
  clay: "#B4472E", // the one loud colour: main actions
  "on-clay": "#FFFFFF",
  "clay-ink": "#8F3420", // clay as text
  ochre: "#C98A1B", // fills and ornament, never text on paper
  "ochre-ink": "#7D5409", // ochre as text
  "on-ink": "#E3AE4E", // accent on an area of ink
  forest: "#1F6B4A", // true, open, verified
  "on-forest": "#FFFFFF",
  indigo: "#2E3A87", // links in prose
  focus: "#2E3A87",
  shade: "rgb(30 20 10 / .45)",
};

export const dark = {
  paper: "#16130F",
  card: "#201B16",
  wash: "#2A231C",
  ink: "#F5EEE3",
  soft: "#B9AC9C",
  line: "#3A322A",
  edge: "#857868",
  clay: "#E2775B",
  "on-clay": "#1B0F0B",
  "clay-ink": "#F09A82",
  ochre: "#E3AE4E",
  "ochre-ink": "#E3AE4E",
  "on-ink": "#7D5409",
  forest: "#6FC39A",
  "on-forest": "#0C1F16",
  indigo: "#9DA8F2",
  focus: "#E3AE4E",
  shade: "rgb(0 0 0 / .7)",
};

// What both themes share. Sizes grow between a phone of 360 px and 1280 px.
export const shared = {
  "font-text": 'Atkinson, "Atkinson Fallback", system-ui, sans-serif',
  "font-display": 'Fraunces, "Fraunces Fallback", "Fraunces Fallback Times", serif',
  "size-xs": ".8125rem",
  "size-s": ".9375rem",
  "size-m": "1.0625rem",
  "size-l": "clamp(1.125rem, 1.08rem + .2vw, 1.25rem)",
  "size-xl": "clamp(1.3125rem, 1.25rem + .3vw, 1.5rem)",
  "size-2xl": "clamp(1.625rem, 1.44rem + .8vw, 2.125rem)",
  "size-3xl": "clamp(2.125rem, 1.6rem + 2.3vw, 3.5rem)",
  "size-4xl": "clamp(2.625rem, 1.5rem + 5vw, 5.125rem)",
  "radius-s": "8px",
  "radius-m": "12px",
  "radius-l": "18px",
  "radius-xl": "26px",
  "radius-full": "999px",
  lift: "0 18px 40px -24px var(--shade)",
  measure: "66ch",
  page: "1180px",
  target: "44px",
  gutter: "clamp(1rem, .6rem + 1.8vw, 1.5rem)",
  "gap-section": "clamp(2.25rem, 1.6rem + 2.8vw, 4rem)",
};

/** variables turns a table of tokens into CSS custom properties. */
export const variables = (tokens) =>
  Object.fromEntries(Object.entries(tokens).map(([name, value]) => [`--${name}`, value]));

const named = (prefix) =>
  Object.fromEntries(
    Object.keys(shared)
      .filter((name) => name.startsWith(prefix))
      .map((name) => [name.slice(prefix.length), `var(--${name})`]),
  );

/** @type {import("tailwindcss").Config} */
export default {
  theme: {
    colors: {
      transparent: "transparent",
      current: "currentColor",
      ...Object.fromEntries(Object.keys(light).map((name) => [name, `var(--${name})`])),
    },
    fontFamily: named("font-"),
    fontSize: named("size-"),
    borderRadius: named("radius-"),
    boxShadow: { lift: "var(--lift)" },
    maxWidth: { measure: "var(--measure)", page: "var(--page)" },
    screens: { tablet: "640px", desk: "900px" },
  },
  plugins: [
    plugin(({ addBase }) =>
      addBase({
        ":root": { "color-scheme": "light dark", ...variables(shared), ...variables(light) },
        "@media (prefers-color-scheme: dark)": { ":root": variables(dark) },
      }),
    ),
  ],
};
