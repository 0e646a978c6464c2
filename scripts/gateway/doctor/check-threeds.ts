/** Checks the 3D Secure providers: which there are, and whether the server answers and accepts the key. */
import { resolve } from 'node:path';
import { openProviderCatalogue } from '../../../api/threeds/provider-catalogue.js';
import type { Config } from '../../../config/index.js';
import { defined } from '../../../shared/domain/defined.js';
import { openEmv3dsProvider } from '../../../shared/threeds-providers/emv3ds/create-emv3ds-provider.js';
import { findRoot } from '../environment.js';
import { type ExaminedDatabase, reasonOf } from './examined.js';
import { type Finding, findingsOf } from './finding.js';

const threeDs = findingsOf('3D Secure', 'docs/going-live.md#3d-secure');

/** The processes find a relative path from the folder of the release, where they start. The doctor may be called from elsewhere. */
const catalogueAt = (file: string) => resolve(findRoot(), file);

/** Returns the codes of the usable 3DS providers, in lowercase. Undefined when the settings here do not name them. */
export async function providersOf({ config, environment }: Pick<ExaminedDatabase, 'config' | 'environment'>) {
  const { threeDsProvidersFile: file } = config;
  if (file === undefined) return undefined;
  const installation = { environment, ...defined({ emv3dsUrl: config.emv3dsUrl }) };
  const rows = await openProviderCatalogue(catalogueAt(file), installation).list();
  return rows.filter(({ enabled }) => enabled).map(({ code }) => code.toLowerCase());
}

async function checkCatalogue(examined: ExaminedDatabase): Promise<readonly Finding[]> {
  if (!examined.processes.includes('web')) return [threeDs.notice('not looked at: only web has the catalogue')];
  try {
    const codes = (await providersOf(examined)) ?? [];
    if (codes.length > 0) return [threeDs.ok(`providers: ${codes.join(', ')}`)];
    return [
      threeDs.notice(
        'no provider: payments go without authentication',
        'Issuers may decline them: connect a 3DS server.',
      ),
    ];
  } catch {
    const path = catalogueAt(examined.config.threeDsProvidersFile ?? '');
    const todo = 'Correct THREEDS_PROVIDERS_FILE or the file.';
    return [threeDs.wrong(`the catalogue of providers cannot be read: ${path}`, todo)];
  }
}

/** @returns nothing when the settings of the server are not present here, or their own check reports them as incomplete */
async function checkServer({ processes, config, connects }: ExaminedDatabase): Promise<readonly Finding[]> {
  if (!processes.includes('threeds') || config.emv3dsUrl === undefined) return [];
  if (!connects) return [threeDs.notice('emv3ds: configured; not connected, as asked for')];
  const todo = 'Correct EMV3DS_URL, EMV3DS_API_KEY and EMV3DS_TLS_CA_FILE, or ask the operator of the server.';
  try {
    const server = openEmv3dsProvider(config as Config);
    if (!server?.probe) return [];
    const result = await server.probe().finally(() => server.close());
    if (result.kind === 'reachable') return [threeDs.ok(`emv3ds: ${result.detail}`)];
    return [threeDs.wrong(`emv3ds: cannot be used: ${result.internal}`, todo)];
  } catch (error) {
    return [threeDs.wrong(`emv3ds: cannot be used: ${reasonOf(error)}`, todo)];
  }
}

export async function checkThreeDs(examined: ExaminedDatabase): Promise<readonly Finding[]> {
  return [...(await checkCatalogue(examined)), ...(await checkServer(examined))];
}
