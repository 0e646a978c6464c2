/** Plays one story: a scenario with the faults of a fault plan. Returns violations, events, and the points that were passed. */
import { limits } from '../../config/limits.js';
import type { Delivery } from '../../shared/domain/callback/delivery.js';
import { defined } from '../../shared/domain/defined.js';
import { authorizationOf } from '../../shared/domain/payment/attempts.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { PaymentLink } from '../../shared/domain/payment-link/payment-link.js';
import { makeSchedule, type Schedule } from '../../shared/domain/schedule.js';
import type { Session } from '../../shared/domain/session/session.js';
import { capabilityTable } from '../../shared/processors/capability-table.js';
import type { Processor } from '../../shared/processors/processor.js';
import type { ProcessorUpdateRow } from '../../shared/store/processor-update.model.js';
import { auditStory } from './audit.js';
import { Client } from './client.js';
import type { FaultPlan, FaultPoint } from './faults.js';
import { type Api, type Environment, type GatewayBugs, startApi, startWorker } from './gateway.js';
import { InvariantChecker } from './invariant-checker.js';
import type { Process } from './process.js';
import { type Scenario, type ScenarioName, scenarios } from './scenarios.js';
import { SimulatedBank } from './simulated-bank.js';
import { SimulatedStore, type StoreHooks } from './simulated-database.js';
import { SimulatedIssuer } from './simulated-issuer.js';
import { SimulatedAcquirer } from './simulated-processor.js';
import { SimulatedQueue } from './simulated-queue.js';
import { SimulatedReceiver } from './simulated-receiver.js';
import { SimulatedUpdates } from './simulated-updates.js';
import type { Doc } from './stored-values.js';
import { Story } from './story.js';
import { Sweeps } from './sweeps.js';
import { EPOCH_MS, World } from './world.js';

/** A process that died is replaced by another one after this time. */
const RESTART_MS = 2_000;
/** An operation that is unresolved and shown to a person is left to that person after this time. */
const ABANDONED_MS = 3 * 24 * 3_600_000;
const TRANSFER_MINOR = 1_050;

const schedule: Schedule = {
  ...makeSchedule(limits, { timeScale: 1, processorTimeoutMs: 30_000 }),
  // Codes and challenges are inquired again and again: a short life covers all of it, a long one only repeats it.
  codeExpiryMs: 8_000,
  challengeMs: 50_000,
};

/** Planted bugs. Without any the simulation must find nothing. */
export interface PlantedBugs extends GatewayBugs {
  readonly schedule?: Partial<Schedule>;
  readonly processor?: (processor: Processor) => Processor;
  readonly rewriteStatement?: StoreHooks['rewriteStatement'];
  readonly indexes?: StoreHooks['indexes'];
  /** Runs a story with something else changed, and restores it. */
  wrap?<T>(story: () => Promise<T>): Promise<T>;
}

/** Parts of the product that a run exercised. */
export interface Exercised {
  readonly transitions: ReadonlySet<string>;
  readonly workKinds: ReadonlySet<string>;
}

export interface StoryOutcome extends Exercised {
  readonly violations: readonly string[];
  readonly trace: readonly string[];
  readonly points: readonly FaultPoint[];
  /** The status of each payment. */
  readonly finalStatuses: readonly string[];
  /** Returns the documents that are stored at the end. */
  stored(collection: string): readonly Doc[];
}

const methodsOf = ({ processor = 'sandbox', routes, threeDs }: Scenario) => {
  const at = (acquirer: string) => ({ paymentProcessor: { id: processor, acquirer } });
  const rules = { enabled: false, tier: 'basic', thresholds: { api: {}, checkout: {} } } as const;
  return {
    card: {
      ...at('acquirer-a'),
      ...(routes && { routes: [at('acquirer-a'), at('acquirer-b')], retrySoftDeclines: routes === 'soft-decline' }),
    },
    ...(threeDs && { threeDs: { provider: 'simulated', metadata: [], enabled: true, rules } }),
  };
};

const isPaid = (payment: Payment) => authorizationOf(payment)?.status === 'approved';

class Simulation {
  readonly world: World;
  readonly store: SimulatedStore;
  readonly checker: InvariantChecker;
  readonly acquirer: SimulatedAcquirer;
  readonly updates: SimulatedUpdates;
  readonly bank: SimulatedBank;
  readonly receiver: SimulatedReceiver;
  readonly client: Client;
  readonly #issuer: SimulatedIssuer;
  readonly #environment: Environment;
  readonly #sweeps: Sweeps;
  readonly #apis: Api[] = [];
  #finished = false;

  constructor(
    faultPlan: FaultPlan,
    readonly scenario: Scenario,
    private readonly bugs: PlantedBugs,
    hooks: SimulationOptions,
  ) {
    const world = new World(faultPlan, hooks.tracing === true);
    this.world = world;
    this.checker = new InvariantChecker(world, () => this.acquirer);
    const { rewriteStatement, indexes } = bugs;
    this.store = new SimulatedStore(world, {
      ...this.checker.hooks,
      ...hooks,
      ...defined({ rewriteStatement, indexes }),
    });
    const behaviour = {
      traits: capabilityTable[scenario.processor ?? 'sandbox'],
      ...(scenario.routes === 'first-unreachable' && { unreachable: ['acquirer-a'] }),
      refusesImpossible: scenario.byHand === true,
      ...(scenario.refundsReturnAfterMs !== undefined && { returnsRefundsAfterMs: scenario.refundsReturnAfterMs }),
    };
    const living = () => this.#apis.filter(({ process }) => !process.dead);
    this.updates = new SimulatedUpdates(world, living, scenario.updates, scenario.processor ?? 'sandbox');
    const beforeSend = (by: Process, key: string) => this.checker.checkSend(this.store, by, key);
    this.acquirer = new SimulatedAcquirer(world, behaviour, { beforeSend }, this.updates);
    this.bank = new SimulatedBank(world, TRANSFER_MINOR);
    this.#issuer = new SimulatedIssuer(world, scenario.threeDs === 'frictionless');
    this.receiver = new SimulatedReceiver(world, scenario.failedCallbacks ?? 0);
    const queue = new SimulatedQueue(world, scenario.noRedis === true, (data) =>
      this.checker.checkNudge(this.store, data),
    );
    this.#environment = this.#makeEnvironment(queue);
    this.#sweeps = new Sweeps(world, this.store);
    const eventsOf = (id: string) => this.#payments().find(({ _id }) => _id === id)?.eventSeq;
    this.client = new Client(world, living, scenario.twoApis === true, eventsOf);
    world.isOver = () => this.#isAtRest();
  }

  #makeEnvironment(queue: SimulatedQueue): Environment {
    const { world, bugs } = this;
    const isTransfer = this.scenario.steps.some((step) => 'transfer' in step);
    const processorFor = (process: Process) => (isTransfer ? this.bank : this.acquirer).processorFor(process);
    return {
      world,
      queue,
      schedule: { ...schedule, ...bugs.schedule },
      methods: methodsOf(this.scenario),
      sendsUpdates: this.scenario.updates !== undefined,
      databaseFor: (process) => this.store.databaseFor(process),
      processorFor: (process) => bugs.processor?.(processorFor(process)) ?? processorFor(process),
      providerFor: (process) => this.#issuer.providerFor(process),
      posterFor: (process) => this.receiver.posterFor(process),
    };
  }

  async run(): Promise<StoryOutcome> {
    const { world, client, store, bank, acquirer } = this;
    for (const name of ['web-1', 'web-2'])
      this.#start(name, (process) => this.#apis.push(startApi(this.#environment, process, this.bugs)));
    for (const name of ['worker-1', 'worker-2']) {
      this.#start(name, (process) => this.#sweeps.add(startWorker(this.#environment, process, this.bugs)));
    }
    const story = new Story({ client, store, bank, acquirer, issuer: this.#issuer, challengeMs: schedule.challengeMs });
    world.startTask(client.process, async () => {
      await story.play(this.scenario.steps);
      this.#finished = true;
    });
    await world.run();
    if (world.violations.length === 0 && !this.#finished) world.violated('end', 'the story did not come to its end');
    if (world.violations.length === 0) auditStory(this);
    const { violations, trace, points } = world;
    const finalStatuses = this.#payments().map(({ status }) => status);
    const stored = (name: string) => store.all<Doc>(name);
    return { violations, trace, points, finalStatuses, stored, ...this.checker.exercised };
  }

  /** Starts a process of this role, and its successor when it dies. */
  #start(role: string, start: (process: Process) => void, life = 1): void {
    const process = this.world.spawn(life === 1 ? role : `${role}#${life}`);
    process.onDeath.push(() => this.world.after(RESTART_MS, () => this.#start(role, start, life + 1)));
    this.world.post(process, () => start(process));
  }

  #payments(): Payment[] {
    return this.store.all<Payment>('payments').filter(({ merchantId }) => merchantId !== undefined);
  }

  /** Whether nothing is left to do except what is due much later. */
  #isAtRest(): boolean {
    const { world, store } = this;
    if (!this.#finished || this.acquirer.pendingEffects > 0 || this.updates.pending > 0) return false;
    if ([...world.processes].some(({ busy }) => busy > 0)) return false;
    if (world.nowMs - EPOCH_MS < (this.scenario.minDurationMs ?? 0)) return false;
    const abandoned = world.nowMs - EPOCH_MS > ABANDONED_MS;
    const isQuiet = ({ work, announceAt, tokenizeAt, alerts }: Payment) =>
      (!work || (abandoned && alerts)) && !announceAt && !tokenizeAt;
    return (
      this.#payments().every(isQuiet) &&
      store.all<ProcessorUpdateRow>('processor_updates').every((row) => row.status !== 'waiting') &&
      store.all<Delivery>('deliveries').every(({ state }) => state !== 'waiting') &&
      store.all<Session>('sessions').every((session) => this.#isSettled(session)) &&
      store
        .all<PaymentLink>('payment_links')
        .every(({ status }) => status !== 'active' || !this.#payments().some(isPaid))
    );
  }

  /** Whether the session's status matches its tries. A session without success stays pending until it expires, and has no effect. */
  #isSettled({ _id, status, instrumentToken = '', announceAt }: Session): boolean {
    const succeeded = this.#payments().some((payment) => payment.sessionId === _id && isPaid(payment));
    const isSaved = this.store.collection('payment_instruments').documents.has(instrumentToken);
    return !announceAt && (status !== 'pending' || !(succeeded || isSaved));
  }
}

/** What a run reports beside its end. */
export interface SimulationOptions extends Pick<StoreHooks, 'onStatement'> {
  /** Whether events are recorded, which takes a third of the time of a run. */
  readonly tracing?: boolean;
}

export function simulate(
  name: ScenarioName,
  faultPlan: FaultPlan,
  bugs: PlantedBugs = {},
  options: SimulationOptions = {},
): Promise<StoryOutcome> {
  const run = () => new Simulation(faultPlan, scenarios[name], bugs, options).run();
  return bugs.wrap ? bugs.wrap(run) : run();
}
