/** Links of pages lead somewhere, and the pages and places that code cites exist. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { root } from '../../scripts/setup/paths.mjs';

const SKIPPED = new Set(['node_modules', '.git', '.local', 'dist', 'coverage', 'openapi.json', 'package-lock.json']);
const CODE = /\.(ts|mjs|cjs|js|txt|ya?ml|html|css)$|^(Procfile|Dockerfile|run)$/;
const PAGES_MIN = 10;

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesUnder(path) : [path];
  });
}

const files = filesUnder(root);
const short = (path: string) => relative(root, path);
const pages = files.filter((path) => path.endsWith('.md'));
const code = files.filter((path) => CODE.test(path.slice(path.lastIndexOf('/') + 1)));
const pageText = (name: string) => {
  const path = join(root, 'docs', `${name}.md`);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
};

const withoutFences = (text: string) => text.replace(/^```[^\n]*\n[\s\S]*?^```$/gm, '');

/** Returns the anchors of a page, as GitHub makes them from its headings. */
function anchorsOf(text: string): Set<string> {
  const headings = [...withoutFences(text).matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading = '']) => heading);
  const slug = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
  const seen = new Map<string, number>();
  return new Set(
    headings.map(slug).map((anchor) => {
      const before = seen.get(anchor) ?? 0;
      seen.set(anchor, before + 1);
      return before === 0 ? anchor : `${anchor}-${before}`;
    }),
  );
}

/** Returns the broken relative links of a page. */
function brokenLinks(path: string, text: string): string[] {
  const found = withoutFences(text).matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)|<img src="([^"]+)"/g);
  const links = [...found].map(([, link, picture]) => link ?? picture ?? '');
  return links
    .filter((link) => !/^[a-z][a-z+.-]*:/i.test(link))
    .flatMap((link) => {
      const [file = '', anchor] = link.split('#', 2);
      const target = file === '' ? path : resolve(dirname(path), decodeURI(file));
      if (target !== path && !existsSync(target)) return [`${short(path)}: ${link} does not exist`];
      if (anchor === undefined || statSync(target, { throwIfNoEntry: false })?.isDirectory()) return [];
      const targetText = target === path ? text : readFileSync(target, 'utf8');
      return anchorsOf(targetText).has(anchor) ? [] : [`${short(path)}: ${link} names no heading`];
    });
}

/** A citation: `docs/page.md`, maybe with `#an-anchor`, `"a place on it"` or rows of it (`T3`, `T10–T13`, `decisions 3 and 4`). */
const CITATION =
  /docs\/([a-z0-9-]+)\.md(?:#([\w-]+))?(?:,? *((?:"[^"\n]{1,80}"(?:, *)?)+|(?:T|I|decisions? )\d+(?:(?:–| and )[TI]?\d+)?))?/g;

/** Returns the places that a citation names, each as a pattern that must be on the page. */
function placesOf(cited: string): RegExp[] {
  const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const quoted = [...cited.matchAll(/"([^"]+)"/g)].map(([, place = '']) => new RegExp(escaped(place), 'i'));
  if (quoted.length > 0) return quoted;
  const numbers = cited.match(/\d+/g) ?? [];
  if (cited.startsWith('decision')) return numbers.map((number) => new RegExp(`^${number}\\. `, 'm'));
  return numbers.map((number) => new RegExp(`^\\|[^|]*\\b${cited[0]}${number}\\b`, 'm'));
}

/** Returns the broken citations of pages in a source file. Comments are read as running text. */
function brokenCitations(path: string, text: string): string[] {
  const running = text.replace(/\n\s*(?:\*|\/\/|#) /g, ' ');
  return [...running.matchAll(CITATION)].flatMap(([, name = '', anchor, cited = '']) => {
    const page = pageText(name);
    if (page === undefined) return [`${short(path)}: docs/${name}.md does not exist`];
    if (anchor !== undefined && !anchorsOf(page).has(anchor))
      return [`${short(path)}: docs/${name}.md has no #${anchor}`];
    const missing = placesOf(cited).filter((place) => !place.test(page));
    return missing.length > 0 ? [`${short(path)}: docs/${name}.md has no ${cited}`] : [];
  });
}

/** Returns the code spans of a page with a path that does not exist. Paths of tests in the tables of security.md begin below `test/`. */
function brokenPaths(path: string, text: string): string[] {
  const spans = [...withoutFences(text).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  return spans.flatMap((span) => {
    const test = /^[a-z-]+\/[\w/.-]+(\.test|-suite)\.ts$|^fixtures\//.test(span) && path.endsWith('security.md');
    const inTree = /^(api|workers|shared|config|test|scripts|bench|docs)\/[\w/.-]+$/.test(span);
    if (!inTree && !test) return [];
    return existsSync(join(root, test ? 'test' : '', span)) ? [] : [`${short(path)}: ${span} does not exist`];
  });
}

test('every file that a page names exists', () => {
  expect(pages.flatMap((path) => brokenPaths(path, readFileSync(path, 'utf8')))).toEqual([]);
});

test.each([
  ['docs/performance.md', '`shared/no-such-file.ts`'],
  ['docs/security.md', '`http/no-such.test.ts`'],
])('a file that does not exist is detected in %s', (page, text) => {
  expect(brokenPaths(join(root, page), text)).toEqual([expect.stringContaining('does not exist')]);
});

test('every relative link of every page leads somewhere', () => {
  expect(pages.length).toBeGreaterThanOrEqual(PAGES_MIN);
  expect(pages.flatMap((path) => brokenLinks(path, readFileSync(path, 'utf8')))).toEqual([]);
});

test('every page that code cites exists, with the cited place', () => {
  expect(
    code
      .filter((path) => path !== import.meta.filename)
      .flatMap((path) => brokenCitations(path, readFileSync(path, 'utf8'))),
  ).toEqual([]);
});

test.each([
  ['a missing file', '[x](no-such-page.md)', 'does not exist'],
  ['a missing picture', '<img src="no-such-picture.webp" alt="x">', 'does not exist'],
  ['a missing heading', '[x](reliability.md#no-such-heading)', 'names no heading'],
  ['a missing heading of its own', '# One\n[x](#two)', 'names no heading'],
])('%s is detected', (_what, text, problem) => {
  expect(brokenLinks(join(root, 'docs/security.md'), text)).toEqual([expect.stringContaining(problem)]);
});

test.each([
  ['a missing page', '// see docs/no-such-page.md', 'does not exist'],
  ['a missing anchor', '// docs/api.md#no-such-heading', 'has no'],
  ['a missing section', '/** (docs/reliability.md, "No such section") */', 'has no'],
  ['a section named on the next line', '/**\n * docs/reliability.md,\n * "No such section" */', 'has no'],
  ['a missing row', '// docs/verification.md, T1–T99', 'has no'],
  ['a missing decision', '// docs/reliability.md, decisions 3 and 99', 'has no'],
])('%s is detected in a citation', (_what, text, problem) => {
  expect(brokenCitations(join(root, 'api/app.ts'), text)).toEqual([expect.stringContaining(problem)]);
});

test('existing places are found', () => {
  const page =
    '# A `code` heading!\n[x](#a-code-heading) [y](reliability.md#sending) [z](https://example.com/a.md)\n```\n[no](link.md)\n```\n';
  expect(brokenLinks(join(root, 'docs/security.md'), page)).toEqual([]);
  const source =
    '// docs/api.md#3ds-check; docs/reliability.md, "Sending"; docs/security.md#api-keys; docs/reliability.md, decisions 3 and 4';
  expect(brokenCitations(join(root, 'api/app.ts'), source)).toEqual([]);
});
