/** REDIS_URL in its three forms: how it is read, and the errors when it cannot be read. */
import { readRedisAddress } from '../../config/redis-address.js';

const read = (text: string) => {
  const address = readRedisAddress(text);
  if (typeof address === 'string') throw new Error(address);
  return address;
};

test('the address of one server is passed to the client unchanged', () => {
  expect(read('redis://redis:6379/2?family=6')).toEqual({
    kind: 'single',
    url: 'redis://redis:6379/2?family=6',
    password: '',
    tls: false,
  });
  expect(read('rediss://gateway:hunter2@redis')).toMatchObject({ kind: 'single', password: 'hunter2', tls: true });
});

test('the address of a master behind sentinels is read', () => {
  expect(read('redis+sentinel://a,b:26380,[::1]:5/mymaster')).toEqual({
    kind: 'sentinel',
    tls: false,
    family: 0,
    sentinels: [
      { host: 'a', port: 26_379 },
      { host: 'b', port: 26_380 },
      { host: '::1', port: 5 },
    ],
    name: 'mymaster',
    database: 0,
  });
  const options = 'sentinelUsername=watcher&sentinelPassword=x%26y%3D%3Fz&family=4';
  expect(read(`rediss+sentinel://gate%40way:hunter2%2Fw:d@s1.example.com/my%20master/3?${options}`)).toEqual({
    kind: 'sentinel',
    tls: true,
    family: 4,
    username: 'gate@way',
    password: 'hunter2/w:d',
    sentinels: [{ host: 's1.example.com', port: 26_379 }],
    name: 'my master',
    database: 3,
    sentinelUsername: 'watcher',
    sentinelPassword: 'x&y=?z',
  });
});

test('the address of a cluster is read', () => {
  expect(read('rediss+cluster://:hunter2@a,b:7001/?family=6')).toEqual({
    kind: 'cluster',
    tls: true,
    family: 6,
    password: 'hunter2',
    nodes: [
      { host: 'a', port: 6_379 },
      { host: 'b', port: 7_001 },
    ],
  });
});

test.each([
  ['redis.example.com', /^must be an address such as/],
  ['redis+sentinels://a/m', /^must be an address such as/],
  ['redis://a:1,b:2', /^names several hosts.*redis\+sentinel:.*redis\+cluster:/],
  ['rediss://:hunter2@a,b', /^names several hosts/],
  ['redis+sentinel://a,b', /^must name the master/],
  ['redis+sentinel://a,b/', /^must name the master/],
  ['redis+sentinel://a/m/x', /^has a database/],
  ['redis+sentinel://a/m/1/2', /^has a database/],
  ['redis+sentinel:///m', /^has a host that cannot be read/],
  ['redis+sentinel://a,,b/m', /^has a host/],
  ['redis+sentinel://a:0/m', /^has a host/],
  ['redis+sentinel://a:65536/m', /^has a host/],
  ['redis+sentinel://::1/m', /^has a host/],
  ['redis+sentinel://a b/m', /^has a host/],
  ['redis+sentinel://a/m?password=hunter2', /^has an option that it does not know: sentinelUsername, /],
  ['redis+sentinel://a/m?sentinelPassword', /^has an option/],
  ['redis+sentinel://a/m?family=5', /^has an option family/],
  ['redis+cluster://a?sentinelPassword=hunter2', /^has an option that it does not know: family /],
  ['redis+cluster://a,b/1', /^names a database/],
  ['redis+cluster://:h/unter2@a', /percent-encode/],
  ['redis+cluster://:h@unter2@a', /percent-encode/],
  ['redis+cluster://:hunter2%@a', /percent-encode/],
  ['redis://:hunter2%@a', /percent-encode/],
  ['rediss://hunter2%zz:x@a/0', /percent-encode/],
])('%s is refused without its password', (text, sentence) => {
  const problem = readRedisAddress(text);
  expect(problem).toEqual(expect.stringMatching(sentence));
  expect(problem).not.toMatch(/unter2/);
});
