/** Plays one story: a scenario with the faults of a fate. Returns violations, events, and the points that were passed. */
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
import { auditStory } from './audit.js';
import { Client } from './client.js';
import type { Fate, Point } from './faults.js';
import { type Api, type Bugs, type Environment, startApi, startWorker } from './gateway.js';
import { Judge } from './judge.js';
import type { Process } from './process.js';
import { type Scenario, type ScenarioName, scenarios } from './scenarios.js';
import { SimulatedBank } from './simulated-bank.js';
import { SimulatedStore, type StoreHooks } from './simulated-database.js';
import { SimulatedIssuer } from './simulated-issuer.js';
import { SimulatedAcquirer } from './simulated-processor.js';
import { SimulatedQueue } from './simulated-queue.js';
import { SimulatedReceiver } from './simulated-receiver.js';
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
export interface PlantedBugs extends Bugs {
  readonly schedule?: Partial<Schedule>;
  readonly processor?: (processor: Processor) => Processor;
  readonly bend?: StoreHooks['bend'];
  readonly indexes?: StoreHooks['indexes'];
  /** Runs a story with something else changed, and restores it. */
  around?<T>(story: () => Promise<T>): Promise<T>;
}

/** Parts of the product that a run exercised. */
export interface Exercised {
  readonly transitions: ReadonlySet<string>;
  readonly workKinds: ReadonlySet<string>;
}

export interface StoryOutcome extends Exercised {
  readonly violations: readonly string[];
  readonly trace: readonly string[];
  readonly points: readonly Point[];
  /** The status of each payment. */
  readonly endsAs: readonly string[];
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
  readonly judge: Judge;
  readonly acquirer: SimulatedAcquirer;
  readonly bank: SimulatedBank;
  readonly receiver: SimulatedReceiver;
  readonly client: Client;
  readonly #issuer: SimulatedIssuer;
  readonly #around: Environment;
  readonly #sweeps: Sweeps;
  readonly #apis: Api[] = [];
  #finished = false;

  constructor(
    fate: Fate,
    readonly scenario: Scenario,
    private readonly bugs: PlantedBugs,
    hooks: Watched,
  ) {
    const world = new World(fate, hooks.tracing === true);
    this.world = world;
    this.judge = new Judge(world, () => this.acquirer);
    const { bend, indexes } = bugs;
    this.store = new SimulatedStore(world, { ...this.judge.hooks, ...hooks, ...defined({ bend, indexes }) });
    const behaviour = {
      traits: capabilityTable[scenario.processor ?? 'sandbox'],
      ...(scenario.routes === 'first-is-away' && { away: ['acquirer-a'] }),
      ...(scenario.refundsReturnAfterMs !== undefined && { returnsRefundsAfterMs: scenario.refundsReturnAfterMs }),
    };
    this.acquirer = new SimulatedAcquirer(world, behaviour, {
      send: (by, key) => this.judge.sends(this.store, by, key),
    });
    this.bank = new SimulatedBank(world, TRANSFER_MINOR);
    this.#issuer = new SimulatedIssuer(world, scenario.threeDs === 'frictionless');
    this.receiver = new SimulatedReceiver(world, scenario.receiverFails ?? 0);
    const queue = new SimulatedQueue(world, scenario.noRedis === true, (data) => this.judge.nudges(this.store, data));
    this.#around = this.#environment(queue);
    this.#sweeps = new Sweeps(world, this.store);
    const eventsOf = (id: string) => this.#payments().find(({ _id }) => _id === id)?.eventSeq;
    const living = () => this.#apis.filter(({ process }) => !process.dead);
    this.client = new Client(world, living, scenario.twoApis === true, eventsOf);
    world.isOver = () => this.#isAtRest();
  }

  #environment(queue: SimulatedQueue): Environment {
    const { world, bugs } = this;
    const isTransfer = this.scenario.steps.some((step) => 'transfer' in step);
    const processorFor = (process: Process) => (isTransfer ? this.bank : this.acquirer).usedBy(process);
    return {
      world,
      queue,
      schedule: { ...schedule, ...bugs.schedule },
      methods: methodsOf(this.scenario),
      databaseFor: (process) => this.store.usedBy(process),
      processorFor: (process) => bugs.processor?.(processorFor(process)) ?? processorFor(process),
      providerFor: (process) => this.#issuer.usedBy(process),
      posterFor: (process) => this.receiver.usedBy(process),
    };
  }

  async run(): Promise<StoryOutcome> {
    const { world, client, store, bank } = this;
    for (const name of ['web-1', 'web-2'])
      this.#start(name, (process) => this.#apis.push(startApi(this.#around, process, this.bugs)));
    for (const name of ['worker-1', 'worker-2']) {
      this.#start(name, (process) => this.#sweeps.add(startWorker(this.#around, process, this.bugs)));
    }
    const story = new Story({ client, store, bank, issuer: this.#issuer, challengeMs: schedule.challengeMs });
    world.begin(client.process, async () => {
      await story.play(this.scenario.steps);
      this.#finished = true;
    });
    await world.run();
    if (world.violations.length === 0 && !this.#finished) world.violated('end', 'the story did not come to its end');
    if (world.violations.length === 0) auditStory(this);
    const { violations, trace, points } = world;
    const endsAs = this.#payments().map(({ status }) => status);
    const stored = (name: string) => store.all<Doc>(name);
    return { violations, trace, points, endsAs, stored, ...this.judge.exercised };
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
    if (!this.#finished || this.acquirer.underWay > 0 || [...world.processes].some(({ busy }) => busy > 0))
      return false;
    if (world.nowMs - EPOCH_MS < (this.scenario.untilMs ?? 0)) return false;
    const abandoned = world.nowMs - EPOCH_MS > ABANDONED_MS;
    const isQuiet = ({ work, announceAt, tokenizeAt, alerts }: Payment) =>
      (!work || (abandoned && alerts)) && !announceAt && !tokenizeAt;
    return (
      this.#payments().every(isQuiet) &&
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
export interface Watched extends Pick<StoreHooks, 'sent'> {
  /** Whether events are recorded, which takes a third of the time of a run. */
  readonly tracing?: boolean;
}

export function simulate(
  name: ScenarioName,
  fate: Fate,
  bugs: PlantedBugs = {},
  watched: Watched = {},
): Promise<StoryOutcome> {
  const run = () => new Simulation(fate, scenarios[name], bugs, watched).run();
  return bugs.around ? bugs.around(run) : run();
}
