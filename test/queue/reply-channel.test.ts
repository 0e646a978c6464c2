import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../shared/log.js';
import { createPatientRedis, createProducerRedis, isReady, type Redis } from '../../shared/queue/redis.js';
import { createReplySubscriber, publishReply, type Reply, ReplyKey } from '../../shared/queue/reply-channel.js';
import { testRedisUrl } from '../support/services.js';

const log: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, with: () => log };
const key = new ReplyKey(randomBytes(32));
const events: string[] = [];
const metrics = { event: (event: string) => void events.push(event) };
const open: Redis[] = [];
afterEach(() => {
  events.splice(0);
  for (const redis of open.splice(0)) redis.disconnect();
});

const at = new Date('2030-01-31T12:00:00.123Z');
const reply = (id: string) =>
  ({
    paymentId: `pay_${id}`,
    txId: `txn_${id}`,
    version: 3,
    fields: { status: 'approved', updatedAt: at, processedAt: at, transactions: [{ id: `txn_${id}`, createdAt: at }] },
  }) as unknown as Reply;

/** Opens a producer, a subscriber, and a plain subscription that sees the raw messages. */
async function channelUnderTest() {
  const channel = `test:reply:${randomBytes(8).toString('hex')}`;
  const producer = createProducerRedis(testRedisUrl(), log);
  const subscription = createPatientRedis(testRedisUrl(), log);
  const witness = createPatientRedis(testRedisUrl(), log);
  open.push(producer, subscription, witness);
  const messages: string[] = [];
  witness.on('message', (_channel, message) => messages.push(message));
  const subscriber = createReplySubscriber(subscription, channel, { key, log, metrics });
  await witness.subscribe(channel);
  while (!isReady(producer) || !subscriber.connected()) await pause(5);
  // A second subscription of the same name waits for the first to be acknowledged.
  await subscription.subscribe(channel);
  return { channel, producer, subscriber, messages };
}

const next = (subscriber: ReturnType<typeof createReplySubscriber>, paymentId: string) =>
  new Promise<Reply>((resolve) => {
    subscriber.listen(paymentId, resolve);
  });

test('a reply arrives as it was sent, dates included', async () => {
  const { channel, producer, subscriber } = await channelUnderTest();
  const arrived = next(subscriber, 'pay_1');
  publishReply({ redis: producer, key, log }, channel, reply('1'));
  expect(await arrived).toEqual(reply('1'));
});

test('replies of one tick are one message, and each reaches only the listeners of its payment', async () => {
  const { channel, producer, subscriber, messages } = await channelUnderTest();
  const both = Promise.all([next(subscriber, 'pay_1'), next(subscriber, 'pay_2')]);
  for (const id of ['1', '2', 'not awaited']) publishReply({ redis: producer, key, log }, channel, reply(id));
  expect((await both).map(({ txId }) => txId)).toEqual(['txn_1', 'txn_2']);
  const later = next(subscriber, 'pay_3');
  publishReply({ redis: producer, key, log }, channel, reply('3'));
  await later;
  // The witness has a connection of its own and may get the message a moment later.
  while (messages.length < 2) await pause(5);
  expect(messages.map((message) => (JSON.parse(key.open(channel, message) ?? '') as Reply[]).length)).toEqual([3, 1]);
});

test('replies to two API processes do not mix', async () => {
  const one = await channelUnderTest();
  const two = await channelUnderTest();
  const arrived = Promise.all([next(one.subscriber, 'pay_1'), next(two.subscriber, 'pay_2')]);
  publishReply({ redis: one.producer, key, log }, one.channel, reply('1'));
  publishReply({ redis: one.producer, key, log }, two.channel, reply('2'));
  await arrived;
  expect(one.messages.join()).not.toContain('pay_2');
  expect(two.messages.join()).not.toContain('pay_1');
});

test('without a connection nothing is sent and nothing fails', async () => {
  const { channel, producer, messages } = await channelUnderTest();
  producer.disconnect();
  while (isReady(producer)) await pause(5);
  publishReply({ redis: producer, key, log }, channel, reply('1'));
  await pause(20);
  expect(messages).toEqual([]);
});

test('a message that is no reply is ignored, and the next reply arrives', async () => {
  const { channel, producer, subscriber } = await channelUnderTest();
  const arrived = next(subscriber, 'pay_1');
  for (const text of ['no json', '{"paymentId":"pay_1"}', '[null]']) {
    await producer.publish(channel, key.sign(channel, text));
  }
  publishReply({ redis: producer, key, log }, channel, reply('1'));
  expect(await arrived).toEqual(reply('1'));
});

test('a listener that throws keeps no reply of the same message from the others', async () => {
  const { channel, producer, subscriber } = await channelUnderTest();
  const heard: string[] = [];
  subscriber.listen('pay_1', () => {
    throw new TypeError('a field is missing');
  });
  for (const id of ['pay_1', 'pay_2']) subscriber.listen(id, ({ txId }) => heard.push(txId));
  for (const id of ['1', '2']) publishReply({ redis: producer, key, log }, channel, reply(id));
  await pause(0);
  const later = next(subscriber, 'pay_3');
  publishReply({ redis: producer, key, log }, channel, reply('3'));
  await later;
  expect(heard).toEqual(['txn_1', 'txn_2']);
});

test('a message that was not signed for this channel is dropped and counted, and the true reply arrives', async () => {
  const { channel, producer, subscriber } = await channelUnderTest();
  const heard: Reply[] = [];
  subscriber.listen('pay_1', (arrived) => heard.push(arrived));
  const text = JSON.stringify([reply('1')]);
  const signed = key.sign(channel, text);
  const forged = [
    text,
    `${'A'.repeat(43)}${text}`,
    signed.replace('approved', 'declined'),
    signed.replace('txn_1', 'txn_2'),
    signed.replace('"version":3', '"version":4'),
    key.sign(`${channel}2`, text),
    new ReplyKey(randomBytes(32)).sign(channel, text),
    '',
    '{}',
  ];
  for (const message of forged) await producer.publish(channel, message);
  publishReply({ redis: producer, key, log }, channel, reply('1'));
  while (heard.length === 0) await pause(5);
  expect(heard).toEqual([reply('1')]);
  expect(events).toEqual(forged.map(() => 'reply-refused'));
});
