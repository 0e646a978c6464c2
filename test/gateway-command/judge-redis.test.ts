/** How `gateway doctor` judges what Redis reports about itself. */
import { judgeRedis, judgeUnusable } from '../../scripts/gateway/doctor/check-redis.js';

test('Redis is judged by its policy and its append-only file', () => {
  const info = (policy: string, aof: number) =>
    `# Server\r\nredis_version:7.0.1\r\nmaxmemory_policy:${policy}\r\naof_enabled:${aof}\r\n`;
  const states = (text: string) => judgeRedis(text).map(({ state }) => state);
  expect(states(info('noeviction', 1))).toEqual(['ok', 'ok']);
  expect(states(info('allkeys-lru', 0))).toEqual(['wrong', 'wrong']);
  expect(states('')).toEqual(['notice', 'wrong']);
  // A full Redis, and one that cannot write its file, answer but accept nothing new.
  const judge = (more: string) => judgeRedis(`${info('noeviction', 1)}${more}`).map(({ found }) => found);
  expect(judge('used_memory:1100\r\nmem_not_counted_for_evict:50\r\nmaxmemory:1000\r\n')).toContain(
    'it takes nothing new: 100% of maxmemory are used',
  );
  expect(judge('used_memory:850\r\nmaxmemory:1000\r\n')).toContain('85% of maxmemory are used');
  expect(judge('used_memory:790\r\nmaxmemory:1000\r\n')).toHaveLength(2);
  expect(judge('used_memory:790\r\nmaxmemory:0\r\naof_last_write_status:ok\r\n')).toHaveLength(2);
  expect(judge('aof_last_write_status:err\r\n')).toContain(
    'it cannot write its append-only file, and takes nothing new',
  );
  // With Sentinel or in a cluster, another server must be ready to take over.
  const replicas = (count: number) => judgeRedis(`${info('noeviction', 1)}connected_slaves:${count}\r\n`, '', true);
  expect(replicas(1).map(({ state }) => state)).toEqual(['ok', 'ok']);
  expect(replicas(0).at(-1)).toMatchObject({ state: 'wrong', found: 'no replica is connected to this master' });
});

test.each([
  ['sentinel', 'it is a sentinel, which keeps nothing'],
  ['cluster', 'it is a node of a cluster'],
])('a %s instead of one Redis is wrong', (mode, found) => {
  const info = `redis_mode:${mode}\r\nmaxmemory_policy:noeviction\r\naof_enabled:1\r\n`;
  expect(judgeRedis(info)).toMatchObject([
    { state: 'wrong', found, todo: expect.stringContaining(`redis+${mode}://`) },
  ]);
});

/** Wraps the text of the last server like the Redis client does. */
const ofSentinels = (text: string) =>
  new Error(`All sentinels are unreachable. Retrying from scratch after 100ms. Last error: ${text}`);
const ofCluster = (text: string) =>
  Object.assign(new Error('Failed to refresh slots cache.'), { lastNodeError: new Error(text) });

test.each([
  ['Redis refuses: WRONGPASS', new Error('WRONGPASS invalid username-password pair or user is disabled.')],
  ['Redis refuses: NOAUTH', new Error('NOAUTH Authentication required.')],
  ['Redis does not answer: ECONNREFUSED', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
  ['Redis does not answer: no answer in time', new Error('Command timed out')],
  [
    'Redis does not answer: ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    Object.assign(new Error('tlsv13 alert certificate required'), {
      code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    }),
  ],
  ['its sentinels watch no master of this name', ofSentinels('ERR No such master with that name')],
  ['its sentinels refuse: NOAUTH', ofSentinels('NOAUTH HELLO must be called with the client already authenticated')],
  [
    'it is no sentinel',
    ofSentinels("ERR unknown command 'sentinel', with args beginning with: 'get-master-addr-by-name'"),
  ],
  ['none of its sentinels answers: no answer in time', ofSentinels('Connection is closed.')],
  ['it is no cluster', ofCluster('ERR This instance has cluster support disabled')],
  ['Redis refuses: WRONGPASS', ofCluster('WRONGPASS invalid username-password pair or user is disabled.')],
])('an unusable Redis is explained: %s', (found, error) => {
  expect(judgeUnusable(error)).toMatchObject({ state: 'wrong', found, todo: expect.stringContaining('REDIS_URL') });
});

test.each([
  ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain'],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    "Hostname/IP does not match certificate's altnames: Host: a. is not in the cert's altnames: DNS:b",
  ],
])('a certificate that is not trusted is no Redis to start: %s', (code, message) => {
  expect(judgeUnusable(Object.assign(new Error(message), { code }))).toMatchObject({
    state: 'wrong',
    found: `Redis does not answer: ${code}`,
    todo: expect.stringMatching(/^If the certificate authority is your own, .* NODE_EXTRA_CA_CERTS; .*REDIS_URL/),
  });
});
