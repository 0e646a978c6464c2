/** Style of the pages of the mock banks: like the gateway's own pages, whose style sheets they cannot load from another origin. */
export const pageStyle = `
:root { color-scheme: light dark; --accent: #0f5c4a; --ground: #ecf0ed; --sheet: #fff; --stub: #f6f8f6; --ink: #14201c; --soft: #4d5b55;
  --line: #d3dbd6; --edge: #74827b; --warn: #774a00; --warn-bg: #faf0db; --focus: #1a4fd6; }
@media (prefers-color-scheme: dark) { :root { --accent: #7bd3b6; --ground: #0d1311; --sheet: #151d1a; --stub: #111916; --ink: #e7eeea;
  --soft: #a3b1aa; --line: #2b3732; --edge: #73837b; --warn: #eec06d; --warn-bg: #2b2213; --focus: #a9c1ff; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; background: var(--ground); color: var(--ink); overflow-wrap: break-word;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; font-variant-numeric: tabular-nums; }
h1, p, dl, dd, legend, fieldset { margin: 0; padding: 0; }
h1 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -.015em; text-wrap: balance; }
.strip { padding: 8px 16px; background: var(--warn-bg); color: var(--warn); font-size: .875rem; font-weight: 600; text-align: center; }
main { padding: 24px 16px 32px; background: var(--sheet); }
main > * + *, form > * + * { margin-top: 24px; }
p.small + h1 { margin-top: 8px; }
.small, small { color: var(--soft); font-size: .875rem; font-weight: 400; }
.mono { font-family: ui-monospace, "SF Mono", Consolas, "DejaVu Sans Mono", monospace; font-size: .93em; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); border-top: 1px solid var(--line); }
dl > * { padding: 10px 0; border-bottom: 1px solid var(--line); }
dt { color: var(--soft); }
dd { text-align: right; }
fieldset { border: 0; min-width: 0; }
legend { margin-bottom: 8px; font-weight: 600; }
.choices { display: grid; gap: 12px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 184px), 1fr)); }
button { min-height: 48px; padding: 12px 16px; border: 1px solid var(--edge); border-radius: 4px; background: var(--sheet); color: inherit;
  font: inherit; font-weight: 600; text-align: left; cursor: pointer; }
button:hover { border-color: var(--ink); background: var(--stub); }
button:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
button small { display: block; }
code { font-family: ui-monospace, Consolas, monospace; font-size: .93em; }
@media (forced-colors: active) { .strip { border-bottom: 2px solid; } }
@media (min-width: 600px) { main { width: min(560px, 100% - 48px); margin: 64px auto 32px; padding: 32px; border: 1px solid var(--line); border-radius: 8px; } }
`;
