/** Parts of every page for payers that depend on the installation: the test mark, and the operator in the footer. */
import request from 'supertest';
import { createApp } from '../../api/app.js';
import { limits } from '../../config/limits.js';
import { testDeps } from './app-under-test.js';

const base = testDeps().deps.config;
const pageOf = async (config: Partial<typeof base> = {}, path = '/checkout/ses_0') =>
  (await request(createApp(testDeps({ config: { ...base, ...config } }).deps)).get(path)).text;

const settings = {
  pagesOperatorName: 'Río & Co. Payments',
  pagesPrivacyUrl: 'https://pay.example.com/privacy?a=1&b=2',
  pagesTermsUrl: 'https://pay.example.com/terms',
  pagesSupportUrl: 'https://help.example.com/',
};

test.each([
  ['en', 'Testing environment. No money moves.'],
  ['es', 'Entorno de pruebas. No se mueve dinero.'],
  ['pt', 'Ambiente de testes. Sem dinheiro real.'],
])('in %s a sandbox page says that no money moves, and a production page never does', async (language, sentence) => {
  const path = `/checkout/ses_0?lang=${language}`;
  expect(await pageOf({}, path)).toContain(sentence);
  const production = await pageOf({ environment: 'production' }, path);
  expect(production).not.toContain('class="strip"');
  expect(production).not.toContain(sentence);
});

test('the footer names the operator, and links its privacy notice, terms and help in a new tab', async () => {
  const page = await pageOf(settings);
  expect(page).toContain('<span class="mark">Río &amp; Co. Payments</span>');
  for (const [address, name] of [
    ['https://pay.example.com/privacy?a=1&amp;b=2', 'Privacy'],
    ['https://pay.example.com/terms', 'Terms'],
    ['https://help.example.com/', 'Help'],
  ]) {
    expect(page).toContain(`<a href="${address}" target="_blank" rel="noopener noreferrer">${name}</a>`);
  }
  const spanish = await pageOf(settings, '/links/0?lang=es');
  expect(spanish.match(/>(Privacidad|Condiciones|Ayuda)</g)).toHaveLength(3);
});

test('the footer shows only what is set', async () => {
  const page = await pageOf({ pagesTermsUrl: settings.pagesTermsUrl });
  expect(page).toContain('<span class="mark">Gateway</span>');
  expect(page.match(/>(Privacy|Terms|Help)</g)).toEqual(['>Terms<']);
  expect(await pageOf()).not.toContain('target="_blank"');
});

const headingOf = (text: string) => /<h1>([^<]*)/.exec(text)?.[1];
const NEEDS_COOKIES = 'This page needs cookies';

test('a form that cannot be read is answered as such, not as a wrong address', async () => {
  const send = (path: string, type = 'application/x-www-form-urlencoded') =>
    request(createApp(testDeps().deps)).post(path).set('Content-Type', type);
  const form = 'The form could not be read';
  const cases: [request.Test, number, string][] = [
    [send('/checkout/ses_0', 'text/plain').send('a'), 415, form],
    [send('/links/0').send(`a=${'a'.repeat(limits.formBodyBytesMax)}`), 413, form],
    [send('/checkout/ses_0').set('Cookie', 'gateway-ses_0=a').send('form=b'), 404, form],
    [send('/links/0').send('total=1'), 404, 'Page not found'],
    [send('/threeds/none').send('cres=a'), 404, 'Page not found'],
  ];
  for (const [sent, status, heading] of cases) {
    const answer = await sent;
    expect([answer.status, headingOf(answer.text)]).toEqual([status, heading]);
    expect(answer.text.includes(NEEDS_COOKIES)).toBe(status === 415);
  }
});

test('only the pages that need a cookie say so when the browser sends none', async () => {
  const paths = ['/checkout/ses_0', '/tokenization/ses_0', '/tokenization/embedded/ses_0', '/links/0'];
  const said = await Promise.all(paths.map(async (path) => (await pageOf({}, path)).includes(NEEDS_COOKIES)));
  expect(said).toEqual([true, true, false, false]);
});

test('a page that takes too long is answered with a page that says so, not with JSON', async () => {
  const responseWaitMs = 40 - limits.mongoOperationMs - limits.answerPendingMs;
  const rateLimits = { admitAddress: () => new Promise<never>(() => {}) };
  const { deps, lines } = testDeps({ config: { ...base, responseWaitMs }, rateLimits: rateLimits as never });
  const answer = await request(createApp(deps)).get('/checkout/ses_0?lang=en');
  expect(answer.status).toBe(503);
  expect(answer.type).toBe('text/html');
  expect(answer.headers).toMatchObject({
    'content-security-policy': expect.stringContaining("default-src 'none'"),
    'retry-after': String(limits.retryAfterSeconds),
  });
  expect(answer.text).toContain(answer.headers['x-trace-id']);
  expect(lines).toContainEqual(expect.objectContaining({ message: 'request.failed', code: 'timeout' }));
});
