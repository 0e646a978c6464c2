/** Merchants that cannot be charged, each with the reasons. */
import { chargedBy, chargeProblem } from '../../../api/merchants/charge-problem.js';
import type { ChargeContext } from '../../../api/merchants/processor-problem.js';
import { openProviderCatalogue } from '../../../api/threeds/provider-catalogue.js';
import { limits } from '../../../config/limits.js';
import { defined } from '../../../shared/domain/defined.js';
import type { Merchant, MerchantPaymentMethod } from '../../../shared/domain/merchant.js';
import { createMerchantRepository } from '../../../shared/store/merchant.repository.js';
import { createMerchantPaymentMethodRepository } from '../../../shared/store/merchant-payment-method.repository.js';
import { createProcessorCredentialsRepository } from '../../../shared/store/processor-credentials.repository.js';
import { type Installed, installedProcessors } from './check-processors.js';
import type { Opened } from './examined.js';
import { type Finding, findingsOf } from './finding.js';

const merchants = findingsOf('merchants', 'docs/going-live.md#merchants');
const threeDs = findingsOf('3-D Secure', 'docs/going-live.md#3-d-secure');

interface Looked extends ChargeContext {
  readonly needs: Installed | undefined;
  /** Absent: that is not known here. */
  readonly providers: ReadonlySet<string> | undefined;
  readonly credentialed: (merchantId: number) => Promise<ReadonlySet<string>>;
}

async function problemsOf(method: MerchantPaymentMethod, looked: Looked): Promise<string | undefined> {
  const problem = chargeProblem(method, looked);
  if (problem !== undefined) return problem;
  const processor = chargedBy(method, looked) ?? '';
  const needsOwn = (looked.needs?.get(processor) ?? []).length > 0;
  if (needsOwn && !(await looked.credentialed(method.merchantId)).has(processor)) {
    return `has no credentials at ${processor}: ./gateway credentials set`;
  }
  const { threeDs: settings } = method;
  if (settings?.enabled && looked.providers?.has(settings.provider.toLowerCase()) === false) {
    return `wants 3-D Secure by "${settings.provider}", which this installation does not have`;
  }
  return undefined;
}

async function judge({ id, status }: Merchant, methods: readonly MerchantPaymentMethod[], looked: Looked) {
  if (status === 'suspended') return [merchants.notice(`${id} is suspended`, `./gateway merchants activate ${id}`)];
  if (methods.length === 0) {
    return [
      merchants.missing(`${id} cannot be charged: it has no payment method`, `./gateway methods set ${id} visa …`),
    ];
  }
  const judged = await Promise.all(
    methods.map(async (method) => ({
      id: method.id,
      enabled: method.enabled,
      problem: await problemsOf(method, looked),
    })),
  );
  const todo = `./gateway methods set ${id} <method> …`;
  const text = judged
    .flatMap(({ id: name, problem }) => (problem === undefined ? [] : [`${name} ${problem}`]))
    .join('; ');
  if (judged.every(({ problem }) => problem !== undefined))
    return [merchants.wrong(`${id} cannot be charged: ${text}`, todo)];
  // One that is switched off is meant so.
  const broken = judged.some(({ enabled, problem }) => enabled && problem !== undefined);
  return broken ? [merchants.wrong(`${id} can be charged, but not by all: ${text}`, todo)] : [];
}

/** Codes of the 3DS providers that can be used, in lowercase letters; undefined: the settings here do not say it. */
export async function providersOf({ config, environment }: Pick<Opened, 'config' | 'environment'>) {
  const { threeDsProvidersFile: file } = config;
  if (file === undefined) return undefined;
  const rows = await openProviderCatalogue(file, { environment, ...defined({ emv3dsUrl: config.emv3dsUrl }) }).list();
  return rows.filter(({ enabled }) => enabled).map(({ code }) => code.toLowerCase());
}

export async function checkThreeDs(examined: Opened): Promise<readonly Finding[]> {
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
    return [threeDs.wrong('the catalogue of providers cannot be read', 'Correct THREEDS_PROVIDERS_FILE or the file.')];
  }
}

export async function checkMerchants(examined: Opened): Promise<readonly Finding[]> {
  const { database, environment, clock } = examined;
  const repository = createMerchantRepository(database, clock);
  const methodsOf = createMerchantPaymentMethodRepository(database, clock).findPaymentMethodsOf;
  const stored = createProcessorCredentialsRepository(database);
  const needs = await installedProcessors(examined);
  // A catalogue that cannot be read is said by the check of 3-D Secure.
  const known = await providersOf(examined).catch(() => []);
  const looked: Looked = {
    environment,
    installed: needs && new Set(needs.keys()),
    needs,
    providers: known && new Set(known),
    credentialed: async (id) => new Set((await stored.list(id)).map(({ processor }) => processor)),
  };
  const found: Finding[] = [];
  let last = 0;
  let total = 0;
  while (found.length < limits.doctorMerchantsMax) {
    const next = await repository.findMerchantsAfter(last, limits.pageSizeMax);
    for (const merchant of next) found.push(...(await judge(merchant, await methodsOf(merchant.id), looked)));
    total += next.length;
    last = next.at(-1)?.id ?? last;
    if (next.length < limits.pageSizeMax) break;
  }
  if (total === 0)
    return [merchants.missing('there is none', './gateway clients create, then ./gateway merchants create')];
  return found.length > 0 ? found : [merchants.ok(`all ${total} can be charged`)];
}
