/** The calls in the guides match the API: known paths and methods, bodies that it accepts, variables that the shell has. */
import { endpoints } from '../../api/routes.js';
import { commandGroups } from '../../scripts/gateway/commands/index.js';
import { readCommandLine } from '../../scripts/gateway/read-command-line.js';
import { validationOptions } from '../../shared/contract/joi.js';
import { files, filesIn, textOf } from './source-tree.js';

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
}

/** Placeholder for a shell variable in a body. It has the form of a wallet token, which every text field accepts. */
const FROM_SHELL = 'eyJhIjoiYiJ9';

const shellBlocks = (page: string) =>
  [...page.matchAll(/^( *)```sh\n([\s\S]*?)^ *```/gm)].map(([, , block = '']) => block);

/** Finds calls of `curl`, and of `call` that docs/start.md defines with it. Lines that end in a backslash continue. */
function callsIn(block: string): Call[] {
  const found = [
    ...block.matchAll(/(?:curl|call) [^|]*?"\$BASE_URL(\/[^"?]*)[^"]*"([^|]*?)(?=\n(?:curl|call|[A-Z_]+=)|\||$)/g),
  ];
  return found.map(([whole, path = '']) => {
    const body = /-d '([\s\S]*)'/.exec(whole)?.[1];
    const method = /-X ([A-Z]+)/.exec(whole)?.[1] ?? (/\s-d\s/.test(whole) ? 'POST' : 'GET');
    return { method, path, body: body?.replaceAll(/'"\$\w+"'/g, FROM_SHELL).replaceAll(/'\$\w+'/g, '1001') };
  });
}

const isOf = (path: string, pattern: string) =>
  new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`).test(path.replaceAll(/\$\w+/g, 'x'));

const pages = ['README.md', ...filesIn(['docs'], /^[a-z-]+\.md$/).map(({ path }) => path)];
const calls = pages.flatMap((page) =>
  shellBlocks(textOf(page)).flatMap((block) => callsIn(block).map((call) => [page, call] as const)),
);

test('the guides contain calls, and the search finds them', () => {
  expect(calls.length).toBeGreaterThan(20);
  expect(calls.filter(([, { body }]) => body !== undefined).length).toBeGreaterThan(12);
});

test.each(calls.map(([page, call]) => [page, call.method, call.path, call] as const))(
  '%s: %s %s is an endpoint and accepts its body',
  (_page, method, path, { body }) => {
    const matching = endpoints.filter((one) => one.method.toUpperCase() === method && isOf(path, one.path));
    // The pattern of a payment's path also matches `/v1/payments/query`.
    const endpoint = matching.find((one) => one.path === path) ?? matching[0];
    if (!endpoint) throw new Error(`there is no ${method} ${path}: correct the guide, or add the endpoint`);
    if (body === undefined) return;
    const sent: unknown =
      endpoint.bodyFormat === 'form' ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body);
    expect(endpoint.request?.body?.validate(sent, validationOptions).error?.message).toBe(undefined);
  },
);

/** Finds operator commands in the code of pages: whole lines of blocks, and code spans. */
const commandsIn = (text: string) =>
  [...text.matchAll(/^\.\/gateway (.+)$|`(?:docker compose run --rm web )?\.\/gateway ([^`]+)`/gm)]
    .map(([, line, inline]) => (line ?? inline ?? '').replace(/\s+#.*$|\s[;|>]\s.*$/, '').trim())
    .filter((command) => command !== '…' && !command.endsWith(' …'));

const commandPages = [...pages, 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'CHANGELOG.md'];
const commands = commandPages.flatMap((page) => commandsIn(textOf(page)).map((command) => [page, command] as const));

test('the search finds operator commands', () => {
  expect(commands.length).toBeGreaterThan(30);
});

test.each(commands)('%s: `./gateway %s` is a command with options that it has', (_page, command) => {
  // Blanks inside quotation marks, and inside the names of placeholders, do not separate words.
  const words = (command.match(/(?:"[^"]*"|<[^>]*>|\S)+/g) ?? []).map((word) => word.replaceAll('"', ''));
  const line = readCommandLine(commandGroups, words);
  expect(line.path.length > 0 || line.about !== undefined).toBe(true);
  // A page may name a group, or a command without its arguments. All that it writes must exist.
  if (line.command && line.about === undefined && words.length > line.command.path.length) line.input();
});

test('no guide lets npx fetch a package of another publisher', () => {
  const wrong = files.filter(({ text }) => /npx (--yes |-y )?(payment-)?gate(?=way)/.test(text));
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test('a guide with shell variables says where they are set', () => {
  const silent = pages.filter((page) => {
    const text = textOf(page);
    return /\$(BASE_URL|CLIENT_ID|API_KEY)\b/.test(text) && !/start\.md#five-calls|^sandbox\(\)/m.test(text);
  });
  expect(silent).toEqual([]);
});
