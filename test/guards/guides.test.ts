/** The calls of the guides are those of the API: known paths and methods, bodies that it takes, names that the shell has. */
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

/** A placeholder for a value of the shell inside a body: text of the form that a wallet's token has is taken by all fields. */
const FROM_SHELL = 'eyJhIjoiYiJ9';

const shellBlocks = (page: string) =>
  [...page.matchAll(/^( *)```sh\n([\s\S]*?)^ *```/gm)].map(([, , block = '']) => block);

/** Calls of `curl`, and of `call` that docs/start.md makes of it; lines that end in a backslash go on. */
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

test('the guides have calls, and the search finds them', () => {
  expect(calls.length).toBeGreaterThan(20);
  expect(calls.filter(([, { body }]) => body !== undefined).length).toBeGreaterThan(12);
});

test.each(calls.map(([page, call]) => [page, call.method, call.path, call] as const))(
  '%s: %s %s is an endpoint and takes what is sent',
  (_page, method, path, { body }) => {
    const matching = endpoints.filter((one) => one.method.toUpperCase() === method && isOf(path, one.path));
    // `/v1/payments/query` is also of the form of a payment's path.
    const endpoint = matching.find((one) => one.path === path) ?? matching[0];
    if (!endpoint) throw new Error(`there is no ${method} ${path}: correct the guide, or add the endpoint`);
    if (body === undefined) return;
    const sent: unknown =
      endpoint.bodyFormat === 'form' ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body);
    expect(endpoint.request?.body?.validate(sent, validationOptions).error?.message).toBe(undefined);
  },
);

/** Commands of the operator in code of the pages: whole lines of blocks, and what is between backticks. */
const commandsIn = (text: string) =>
  [...text.matchAll(/^\.\/gateway (.+)$|`(?:docker compose run --rm web )?\.\/gateway ([^`]+)`/gm)]
    .map(([, line, inline]) => (line ?? inline ?? '').replace(/\s+#.*$|\s[;|>]\s.*$/, '').trim())
    .filter((command) => command !== '…' && !command.endsWith(' …'));

const commandPages = [...pages, 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'CHANGELOG.md'];
const commands = commandPages.flatMap((page) => commandsIn(textOf(page)).map((command) => [page, command] as const));

test('the search finds commands of the operator', () => {
  expect(commands.length).toBeGreaterThan(30);
});

test.each(commands)('%s: `./gateway %s` is a command with options that it has', (_page, command) => {
  // Blanks between quotation marks, and in the names of what is to be filled in, part nothing.
  const words = (command.match(/(?:"[^"]*"|<[^>]*>|\S)+/g) ?? []).map((word) => word.replaceAll('"', ''));
  const line = readCommandLine(commandGroups, words);
  expect(line.path.length > 0 || line.about !== undefined).toBe(true);
  // A page may speak of a group, or of a command without what it needs; what it writes has to be there.
  if (line.command && line.about === undefined && words.length > line.command.path.length) line.input();
});

test('no guide lets npx fetch a package of another publisher', () => {
  const wrong = files.filter(({ text }) => /npx (--yes |-y )?(payment-)?gate(?=way)/.test(text));
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test('a guide that takes names from the shell says where they are set', () => {
  const silent = pages.filter((page) => {
    const text = textOf(page);
    return /\$(BASE_URL|CLIENT_ID|API_KEY)\b/.test(text) && !/start\.md#five-calls|^sandbox\(\)/m.test(text);
  });
  expect(silent).toEqual([]);
});
