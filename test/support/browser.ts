/**
 * A real Chromium for the tests of pages: `npm test` finds or obtains one and names it in `CHROMIUM_PATH`. Without a browser the
 * suites are skipped and counted as skipped, and both the run and the suites say so.
 */
import { AxeBuilder } from '@axe-core/playwright';
import axe, { type AxeResults, type Result } from 'axe-core';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { BROWSER_ARGS } from '../../scripts/setup/obtain-chromium.mjs';
import { PATIENCE_MS } from './patience.js';

const found = process.env.CHROMIUM_PATH;

if (!found)
  console.warn('The tests of pages are skipped: there is no Chromium. Install it, or name it in CHROMIUM_PATH.');

/** `describe`, or `describe.skip` when there is no browser. */
export const describeInBrowser: typeof describe = found ? describe : (describe.skip as typeof describe);

export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: found ?? '', args: BROWSER_ARGS });
}

/** A page that is watched: it must not break the policy, throw, or send requests to another origin. */
export interface Watched {
  readonly context: BrowserContext;
  readonly page: Page;
  /** One sentence per violation. Empty when there is none. */
  readonly complaints: string[];
}

/** Opens a new page in a separate context, watched from the first byte. */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
  origins: string[] = [],
): Promise<Watched> {
  const context = await browser.newContext({ locale: 'en-US', ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // A refused form is answered with 400 or 422, which the browser logs as a failed load.
    if (message.type() === 'error' && !/status of 4(00|22)/.test(message.text())) complaints.push(message.text());
  });
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && origins.length > 0 && !origins.includes(origin))
      complaints.push(`asks ${origin}`);
  });
  return { context, page, complaints };
}

/** Follows the skip link with the keyboard. From then on the address has a fragment. */
export async function skipToContent(page: Page): Promise<void> {
  await page.focus('a.skip');
  await page.keyboard.press('Enter');
}

/**
 * Returns what axe-core finds. Injecting axe-core takes longer than several runs of it, so it stays in the page. For several frames
 * AxeBuilder injects it again each time and merges the findings.
 */
async function violationsOf(page: Page): Promise<Result[]> {
  if (page.frames().length > 1) return (await new AxeBuilder({ page }).analyze()).violations;
  // `;undefined` keeps the result of axe-core's text from being transferred.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(`${axe.source};undefined`);
  const { violations } = await page.evaluate<AxeResults>('axe.run({ resultTypes: ["violations"] })');
  return violations;
}

/** Returns the violations that are serious or critical, one line each. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  return (await violationsOf(page))
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}

const narrowLooks = {
  light: { colorScheme: 'light', forcedColors: 'none' },
  dark: { colorScheme: 'dark', forcedColors: 'none' },
  'forced colours': { colorScheme: 'light', forcedColors: 'active' },
} as const;
const NARROW = { width: 320, height: 640 };

/** Checks the same at 320 pixels, light, dark and in forced colours. There nothing may be wider than the page either. */
export async function narrowProblems(page: Page): Promise<string[]> {
  const usual = page.viewportSize();
  await page.setViewportSize(NARROW);
  const problems: string[] = [];
  for (const [look, media] of Object.entries(narrowLooks)) {
    await page.emulateMedia(media);
    const found = await accessibilityProblems(page);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    if (width > NARROW.width) found.push(`is ${width} pixels wide`);
    problems.push(...found.map((problem) => `${look}: ${problem}`));
  }
  await page.emulateMedia({ colorScheme: null, forcedColors: null });
  if (usual) await page.setViewportSize(usual);
  return problems;
}
