/** A Redis that refuses replies or the subscription to them: the process goes on, says why, and subscribes as soon as it may. */
import { randomBytes } from 'node:crypto';
import { createPatientRedis, createProducerRedis, isReady, type Redis } from '../../shared/queue/redis.js';
import { createReplySubscriber, publishReply, type Reply, ReplyKey } from '../../shared/queue/reply-channel.js';
import { type Line, memoryLog } from '../http/app-under-test.js';
import { type OwnRedis, startOwnRedis } from '../support/own-servers.js';
import { until } from '../support/patience.js';

const USER = 'gateway';
const key = new ReplyKey(randomBytes(32));
const metrics = { event: () => undefined };
const lines: Line[] = [];
const log = memoryLog(lines);
const open: Redis[] = [];
const unhandled: unknown[] = [];
const note = (error: unknown) => void unhandled.push(error);
let server: OwnRedis;
let admin: Redis;

beforeAll(async () => {
  server = await startOwnRedis();
  admin = createPatientRedis(server.url, log);
  process.on('unhandledRejection', note);
});
afterEach(() => {
  lines.splice(0);
  for (const redis of open.splice(0)) redis.disconnect();
});
afterAll(async () => {
  process.off('unhandledRejection', note);
  admin?.disconnect();
  await server?.stop();
});

const setUser = (...rules: string[]) => admin.call('ACL', 'SETUSER', USER, 'on', ...rules);
const urlOf = (password: string) => server.url.replace('//', `//${USER}:${password}@`);

function subscribe(password: string) {
  const channel = `test:reply:${randomBytes(8).toString('hex')}`;
  const subscription = createPatientRedis(urlOf(password), log);
  const producer = createProducerRedis(server.url, log);
  open.push(subscription, producer);
  const subscriber = createReplySubscriber(subscription, channel, { key, log, metrics });
  const heard: Reply[] = [];
  subscriber.listen('pay_1', (reply) => heard.push(reply));
  /** Sends replies until one arrives. */
  const replyArrives = () =>
    until(() => {
      if (isReady(producer))
        publishReply({ redis: producer, key, log }, channel, { paymentId: 'pay_1', fields: {} } as Reply);
      return heard.length > 0;
    });
  return { subscriber, replyArrives };
}

const messages = () => lines.filter(({ level }) => level === 'warn').map(({ message }) => message);

test('a user without the right to the channel: no reply is counted on, and the log says why', async () => {
  // Since Redis 7 a new user may use no channel.
  await setUser('>one', '~*', '+@all', 'resetchannels');
  const { subscriber, replyArrives } = subscribe('one');
  await until(() => messages().length > 0);
  expect(lines.find(({ level }) => level === 'warn')).toMatchObject({
    message: 'replies.not-subscribed',
    error: expect.objectContaining({ message: expect.stringContaining('NOPERM') }),
  });
  expect(subscriber.connected()).toBe(false);
  await setUser('allchannels');
  await until(() => subscriber.connected());
  await replyArrives();
});

test('a worker without the right to the channel: replies are lost, and the log says why, once', async () => {
  await setUser('>one', '~*', '+@all', 'resetchannels');
  const redis = createProducerRedis(urlOf('one'), log);
  open.push(redis);
  await until(() => isReady(redis));
  const publish = async () => {
    publishReply({ redis, key, log }, 'test:reply:1', { paymentId: 'pay_1', fields: {} } as Reply);
    await new Promise<void>((resolve) => process.nextTick(resolve));
    // Answered after the reply was refused.
    await redis.ping();
  };
  for (let replies = 0; replies < 3; replies += 1) await publish();
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([
    expect.objectContaining({
      message: 'replies.not-sent',
      error: expect.objectContaining({ message: expect.stringContaining('NOPERM') }),
    }),
  ]);
  expect(unhandled).toEqual([]);
});

test('a right that is taken away while the process runs does not end it', async () => {
  await setUser('>one', '~*', '+@all', 'allchannels');
  const { subscriber, replyArrives } = subscribe('one');
  await until(() => subscriber.connected());
  // Redis ends the connections of subscribers that lose their channel.
  await setUser('resetchannels');
  await until(() => messages().includes('replies.not-subscribed'));
  expect(subscriber.connected()).toBe(false);
  await setUser('allchannels');
  await until(() => subscriber.connected());
  await replyArrives();
  expect(unhandled).toEqual([]);
});

test('a password that Redis learns only after the process has started', async () => {
  await setUser('resetpass', '>old', '~*', '+@all', 'allchannels');
  const { subscriber, replyArrives } = subscribe('new');
  await until(() => messages().includes('redis.unreachable'));
  expect(subscriber.connected()).toBe(false);
  await setUser('>new');
  await until(() => subscriber.connected());
  await replyArrives();
});
