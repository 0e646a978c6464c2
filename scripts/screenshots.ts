/**
 * `npm run screenshots`: takes pictures of every page for payers and developers in the sandbox that `npm start` runs: narrow and
 * wide, light and dark, in forced colours and in the other languages. The pictures are for people to look at: they are written to
 * `.local/screenshots` and stay out of the repository. `npm run screenshots -- paid link` takes only some of them.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContextOptions, chromium as playwright } from 'playwright-core';
import { pages } from './screenshot-pages.js';

const folder = join('.local', 'screenshots');
mkdirSync(folder, { recursive: true });

/** Browser options of pages that need special ones. */
const special: Readonly<Record<string, BrowserContextOptions>> = { bridge: { javaScriptEnabled: false } };
/** Pages that are very long: a picture of the first screen is enough. */
const firstScreen: readonly string[] = ['reference'];

/** Pages load slowly on a busy machine. */
const PATIENCE_MS = 120_000;

const narrow = { viewport: { width: 320, height: 640 } };
const wide = { viewport: { width: 1280, height: 800 } };
const looks: Readonly<Record<string, BrowserContextOptions>> = {
  'narrow-light': { ...narrow, colorScheme: 'light' },
  'narrow-dark': { ...narrow, colorScheme: 'dark' },
  'wide-light': { ...wide, colorScheme: 'light' },
  'wide-dark': { ...wide, colorScheme: 'dark' },
  'narrow-es': { ...narrow, locale: 'es-UY' },
  'narrow-pt': { ...narrow, locale: 'pt-BR' },
  'narrow-forced': { ...narrow, forcedColors: 'active' },
};

// The set-up scripts are plain JavaScript. A computed path keeps the compiler from following these imports.
const setup = new URL('./setup/', import.meta.url).href;
const [{ obtain }, { BROWSER_ARGS, chromium }] = await Promise.all([
  import(`${setup}obtain.mjs`),
  import(`${setup}obtain-chromium.mjs`),
]);
const { binary } = await obtain(chromium, { folder: '.local' }).catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
const browser = await playwright.launch({ executablePath: binary, args: BROWSER_ARGS });
const wanted = process.argv.slice(2);
for (const [name, lead] of Object.entries(pages)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const [look, options] of Object.entries(looks)) {
    const context = await browser.newContext({ locale: 'en-US', ...options, ...special[name] });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    await lead(page);
    await page.screenshot({ path: join(folder, `${name}-${look}.png`), fullPage: !firstScreen.includes(name) });
    await context.close();
  }
  console.log(name);
}
await browser.close();
