import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { packagesToFetch } from '../../scripts/setup/debian-packages.mjs';
import { obtain } from '../../scripts/setup/obtain.mjs';
import { archiveName } from '../../scripts/setup/obtain-mongodb.mjs';
import { parseOsRelease } from '../../scripts/setup/operating-system.mjs';
import { Problem } from '../../scripts/setup/problem.mjs';
import { stage, sweepStaging } from '../../scripts/setup/stage.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'obtain-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Makes a program that answers `--version`. */
function program(version: string, exitCode = 0): string {
  const path = join(mkdtempSync(join(folder, 'bin-')), 'testserverd');
  writeFileSync(path, `#!/bin/sh\necho "testserver v=${version}"\nexit ${exitCode}\n`);
  chmodSync(path, 0o755);
  return path;
}

const kind = (routes: unknown[]) => ({
  name: 'Testserver',
  uriVariable: 'TESTSERVER_URI',
  binVariable: 'TESTSERVER_BIN',
  programs: ['testserverd'],
  version: /v=([\d.]+)/,
  majorMin: 6,
  routes,
});
const route = (source: string, download: () => Promise<unknown>) => ({ source, download });
const failing = (source: string, error: Error) => route(source, () => Promise.reject(error));

/** A download that counts its calls. It should not be called. */
function counted() {
  const counter = { calls: 0, download: async () => ({ binary: `asked ${++counter.calls} times` }) };
  return counter;
}

describe('obtain', () => {
  afterEach(() => {
    delete process.env.TESTSERVER_BIN;
  });

  test('uses the first download that runs here, and remembers it', async () => {
    const good = program('7.1.0');
    const routes = [
      failing('archive', new Problem('no connection within 3 s')),
      route('broken build', async () => ({ binary: program('7.0.0', 127) })),
      route('packages', async () => ({ binary: good, env: { LD_LIBRARY_PATH: '/x' } })),
    ];
    const found = { binary: good, version: '7.1.0', source: 'packages', env: { LD_LIBRARY_PATH: '/x' } };
    expect(await obtain(kind(routes), { folder })).toEqual(found);
    expect(await obtain(kind([]), { folder, offline: true })).toEqual(found);
  });

  test('a download gets the whole path of its folder, also when it was given relative', async () => {
    const binary = program('7.1.0');
    const folders: string[] = [];
    const download = async (setup: { folder: string }) => {
      folders.push(setup.folder);
      return { binary };
    };
    await obtain(kind([{ source: 'archive', download }]), { folder: relative(process.cwd(), folder) });
    expect(folders).toEqual([folder]);
  });

  test('does not suggest a running server if the program is not a server', async () => {
    const { uriVariable: _none, ...browser } = kind([failing('archive', new Problem('no connection'))]);
    const message = await obtain(browser, { folder }).catch((error: Error) => error.message);
    expect(message).toMatch(
      /Install testserverd so that it is on PATH, or name it by TESTSERVER_BIN\. What was tried:/,
    );
  });

  test('lists everything that was tried in one message', async () => {
    const routes = [
      failing('archive', new Problem('no connection within 3 s')),
      failing('mirror', Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' })),
      route('old', async () => ({ binary: program('5.9.1') })),
    ];
    const error: Error = await obtain(kind(routes), { folder }).catch((reason: Error) => reason);
    expect(error.message.split('\n')).toEqual([
      'Testserver could not be found or obtained. Install testserverd so that it is on PATH, name it by TESTSERVER_BIN, ' +
        'or name a running server by TESTSERVER_URI. What was tried:',
      '  - testserverd is not on PATH',
      '  - archive: no connection within 3 s',
      '  - mirror: ENOTFOUND',
      expect.stringMatching(/^ {2}- old: .* is version 5\.9\.1, and 6 or newer is needed$/),
    ]);
  });

  test('ends the search when the disk is full: no other route would help', async () => {
    const second = counted();
    const full = Object.assign(new Error('write'), { code: 'ENOSPC' });
    await expect(obtain(kind([failing('archive', full), route('next', second.download)]), { folder })).rejects.toBe(
      full,
    );
    expect(second.calls).toBe(0);
  });

  test('tries no other program if the environment names one', async () => {
    process.env.TESTSERVER_BIN = program('7.0.0', 1);
    const archive = counted();
    const search = obtain(kind([route('archive', archive.download)]), { folder });
    await expect(search).rejects.toThrow(/^TESTSERVER_BIN does not help: /);
    expect(archive.calls).toBe(0);
    process.env.TESTSERVER_BIN = program('8.0.0');
    expect(await obtain(kind([]), { folder })).toMatchObject({ version: '8.0.0', source: 'TESTSERVER_BIN' });
  });
});

test.each([
  ['ID=debian\nVERSION_ID="12"', 'x64', 'mongodb-linux-x86_64-debian12-7.0.28.tgz'],
  ['ID=debian\nVERSION_ID="13"', 'arm64', 'mongodb-linux-aarch64-ubuntu2204-7.0.28.tgz'],
  ['ID=ubuntu\nVERSION_ID="24.04"\nID_LIKE=debian', 'x64', 'mongodb-linux-x86_64-ubuntu2204-7.0.28.tgz'],
  ['ID=ubuntu\nVERSION_ID="20.04"', 'arm64', 'mongodb-linux-aarch64-ubuntu2004-7.0.28.tgz'],
  [`ID='rocky'\nVERSION_ID='9.4'`, 'x64', 'mongodb-linux-x86_64-rhel90-7.0.28.tgz'],
  ['ID=debian\nVERSION_ID="11"', 'arm64', undefined],
  ['ID=debian\nVERSION_ID="10"', 'x64', undefined],
  ['ID=alpine\nVERSION_ID=3.20.1', 'x64', undefined],
  ['ID=ubuntu\nVERSION_ID="22.04"', 'riscv64', undefined],
  ['', 'x64', undefined],
])('the archive for %j on %s is chosen, if there is one', (release, arch, name) => {
  expect(archiveName(parseOsRelease(release), arch)).toBe(name);
});

test('the packages that apt would fetch are read from its output', () => {
  const printed = [
    `'http://deb.example/pool/r/redis_5%3a7.0.15-1_amd64.deb' redis-server_5%3a7.0.15-1_amd64.deb 69480 SHA256:ab`,
    `'http://deb.example/pool/l/libjemalloc2_5.3.0_amd64.deb' libjemalloc2_5.3.0_amd64.deb 275 SHA256:cd`,
    'NOTE: nothing',
  ].join('\n');
  expect(packagesToFetch(printed)).toEqual(['redis-server', 'libjemalloc2']);
});

describe('staging', () => {
  const write = (name: string) => async (target: string) => writeFileSync(join(target, name), name);

  test('replaces the folder in one step', async () => {
    const destination = join(folder, 'mongodb');
    await stage(destination, write('old'));
    await stage(destination, write('new'));
    expect(readdirSync(destination)).toEqual(['new']);
    expect(readdirSync(folder)).toEqual(['mongodb']);
  });

  test('keeps the old folder, and nothing else, when it fails', async () => {
    const destination = join(folder, 'mongodb');
    await stage(destination, write('old'));
    await expect(stage(destination, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(readFileSync(join(destination, 'old'), 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['mongodb']);
  });

  test('removes what a killed run left', () => {
    mkdirSync(join(folder, '.staging-x1'));
    mkdirSync(join(folder, 'redis'));
    sweepStaging(folder);
    expect(readdirSync(folder)).toEqual(['redis']);
  });
});
