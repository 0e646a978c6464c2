/** Finds merchants that cannot be charged, each with the reasons. */
import { chargeProblem, type ProblemOf } from '../../../api/merchants/charge-problem.js';
import { type ChargeContext, processorProblem } from '../../../api/merchants/processor-problem.js';
import { limits } from '../../../config/limits.js';
import type { Merchant, MerchantPaymentMethod } from '../../../shared/domain/merchant.js';
import { createBinTable } from '../../../shared/store/bin-range.repository.js';
import { createMerchantRepository } from '../../../shared/store/merchant.repository.js';
import { createMerchantPaymentMethodRepository } from '../../../shared/store/merchant-payment-method.repository.js';
import { createProcessorCredentialsRepository } from '../../../shared/store/processor-credentials.repository.js';
import { type Installed, installedProcessors, processorsHere } from './check-processors.js';
import { providersOf } from './check-threeds.js';
import type { ExaminedDatabase } from './examined.js';
import { type Finding, findingsOf } from './finding.js';
import { nameNotices } from './judge-name.js';
import { routeFaults, routeNotices } from './judge-routes.js';

const merchants = findingsOf('merchants', 'docs/going-live.md#merchants');

/** What the checks of all merchants share. */
interface MerchantCheckContext extends ChargeContext {
  readonly needs: Installed | undefined;
  /** Absent when the providers are not known here. */
  readonly providers: ReadonlySet<string> | undefined;
  readonly isBinTableEmpty: boolean;
}

/** Other stored data of a merchant. */
interface StoredMethods {
  readonly methods: readonly MerchantPaymentMethod[];
  /** Processors that need credentials and at which the merchant has some. */
  readonly credentialed: ReadonlySet<string>;
}

/** What was found about one payment method of a merchant. */
interface MethodCheckResult {
  readonly id: string;
  /** Why the method cannot be charged at all. */
  readonly problem: string | undefined;
  /** What fails although the method can be charged. */
  readonly faults: readonly string[];
  readonly notices: readonly string[];
}

/** Returns what is wrong with a processor of a method: with its installation, or with the merchant's credentials there. */
function problemOfProcessor(looked: MerchantCheckContext, credentialed: ReadonlySet<string>): ProblemOf {
  return (processor) => {
    const problem = processorProblem(processor, looked);
    if (problem !== undefined) return problem;
    const needsOwn = (looked.needs?.get(processor) ?? []).length > 0;
    if (needsOwn && !credentialed.has(processor))
      return `has no credentials at ${processor}: ./gateway credentials set`;
    return undefined;
  };
}

function providerProblem({ threeDs }: MerchantPaymentMethod, { providers }: MerchantCheckContext): string | undefined {
  if (!threeDs?.enabled || providers?.has(threeDs.provider.toLowerCase()) !== false) return undefined;
  return `wants 3D Secure by "${threeDs.provider}", which this installation does not have`;
}

function judgeMethod(
  merchant: Merchant,
  method: MerchantPaymentMethod,
  problemOf: ProblemOf,
  looked: MerchantCheckContext,
): MethodCheckResult {
  const problem = chargeProblem(method, looked, problemOf) ?? providerProblem(method, looked);
  // A method that is switched off is so on purpose. When a method takes nothing, its other findings do not matter.
  if (problem !== undefined) return { id: method.id, problem, faults: method.enabled ? [problem] : [], notices: [] };
  const notices = routeNotices(method, looked.isBinTableEmpty);
  return { id: method.id, problem, faults: routeFaults(method, merchant, problemOf), notices };
}

const sentences = (judged: readonly MethodCheckResult[], of: (one: MethodCheckResult) => readonly string[]) =>
  judged.flatMap((one) => of(one).map((text) => `${one.id} ${text}`)).join('; ');

function judge(
  merchant: Merchant,
  { methods, credentialed }: StoredMethods,
  looked: MerchantCheckContext,
): readonly Finding[] {
  const { id, status } = merchant;
  if (status === 'suspended') return [merchants.notice(`${id} is suspended`, `./gateway merchants activate ${id}`)];
  const todo = `./gateway methods set ${id} <method> …`;
  if (methods.length === 0) {
    return [
      merchants.missing(`${id} cannot be charged: it has no payment method`, `./gateway methods set ${id} visa …`),
    ];
  }
  const problemOf = problemOfProcessor(looked, credentialed);
  const judged = methods.map((method) => judgeMethod(merchant, method, problemOf, looked));
  if (judged.every(({ problem }) => problem !== undefined)) {
    const text = sentences(judged, ({ problem }) => (problem === undefined ? [] : [problem]));
    return [merchants.wrong(`${id} cannot be charged: ${text}`, todo)];
  }
  const [faults, notices] = [sentences(judged, (one) => one.faults), sentences(judged, (one) => one.notices)];
  return [
    ...(faults === '' ? [] : [merchants.wrong(`${id} can be charged, but not by all: ${faults}`, todo)]),
    ...(notices === '' ? [] : [merchants.notice(`${id}: ${notices}`)]),
    ...nameNotices(merchant, methods),
  ];
}

const isBroken = ({ state }: Finding) => state === 'wrong' || state === 'missing';

/** Shortens the list of notices, and says how many more there are. */
function shortened(found: readonly Finding[]): readonly Finding[] {
  const notices = found.filter((one) => !isBroken(one));
  const left = notices.length - limits.doctorMerchantsMax;
  return left <= 0
    ? notices
    : [...notices.slice(0, limits.doctorMerchantsMax), merchants.notice(`${left} more notices are left out`)];
}

/** Reads the stored data of many merchants at once: one by one, thousands of merchants would exceed the time of the check. */
function createStoredRead({ database, clock }: ExaminedDatabase, needs: Installed | undefined) {
  const methods = createMerchantPaymentMethodRepository(database, clock);
  const credentials = createProcessorCredentialsRepository(database);
  const needed = [...(needs ?? [])].flatMap(([processor, names]) => (names.length > 0 ? [processor] : []));
  return async (page: readonly Merchant[]): Promise<(merchant: Merchant) => StoredMethods> => {
    const ids = page.map(({ id }) => id);
    const [ofMethods, ofCredentials] = await Promise.all([
      methods.findPaymentMethodsOfEach(ids),
      credentials.listOfEach(ids, needed),
    ]);
    const of =
      ({ id }: Merchant) =>
      (row: { readonly merchantId: number }) =>
        row.merchantId === id;
    return (merchant) => ({
      methods: ofMethods.filter(of(merchant)),
      credentialed: new Set(ofCredentials.filter(of(merchant)).map(({ processor }) => processor)),
    });
  };
}

export async function checkMerchants(examined: ExaminedDatabase): Promise<readonly Finding[]> {
  const { database, environment, clock } = examined;
  const repository = createMerchantRepository(database, clock);
  const needs = await installedProcessors(examined);
  const readStored = createStoredRead(examined, needs);
  // An unreadable catalogue is reported by the check of 3D Secure.
  const known = await providersOf(examined).catch(() => []);
  const looked: MerchantCheckContext = {
    environment,
    installed: await processorsHere(examined, needs),
    needs,
    providers: known && new Set(known),
    isBinTableEmpty: (await createBinTable(database).count()) === 0,
  };
  const found: Finding[] = [];
  const broken = () => found.filter(isBroken).length;
  let last = 0;
  let total = 0;
  let suspended = 0;
  let more = true;
  // Notices alone do not end the search: only broken merchants count.
  while (more && broken() < limits.doctorMerchantsMax) {
    const next = await repository.findMerchantsAfter(last, limits.pageSizeMax);
    const storedOf = await readStored(next);
    for (const merchant of next) found.push(...judge(merchant, storedOf(merchant), looked));
    total += next.length;
    suspended += next.filter(({ status }) => status === 'suspended').length;
    last = next.at(-1)?.id ?? last;
    more = next.length === limits.pageSizeMax;
  }
  if (total === 0)
    return [merchants.missing('there is none', './gateway clients create, then ./gateway merchants create')];
  const left = suspended > 0 ? ' that are not suspended' : '';
  const end = more
    ? merchants.notice(`only the first ${total} were looked at`, 'Mend these, and run it again.')
    : merchants.ok(`all ${total - suspended}${left} can be charged`);
  return [...found.filter(isBroken), ...shortened(found), ...(more || broken() === 0 ? [end] : [])];
}
