/** The MongoDB versions that production accepts. */
import { checkServerVersion, ServerVersionError, serverVersionProblem } from '../../shared/store/server-version.js';

test.each(['7.0.0', '7.0.28', '8.0.4', '8.2.0-rc1', '10.0.0'])('%s is new enough', (version) =>
  expect(serverVersionProblem(version)).toBeUndefined(),
);

test.each(['6.0.5', '6.3.2', '5.0.31', '4.4.0', 'unknown'])('%s is not new enough', (version) =>
  expect(serverVersionProblem(version)).toMatch(
    new RegExp(`^MongoDB ${version} is older than 7\\.0, .*upgrade it.*ALLOW_OLD_MONGODB=true`),
  ),
);

test('production refuses an old MongoDB, or warns when it is allowed; testing does not ask for the version', async () => {
  const said: string[] = [];
  const log = { warn: (message: string) => void said.push(message) } as never;
  let asked = 0;
  const database = {
    serverVersion: async () => {
      asked += 1;
      return '6.0.5';
    },
  };
  const check = (environment: 'testing' | 'production', allowOldMongodb: boolean) =>
    checkServerVersion({ database, environment, allowOldMongodb, log });
  await check('testing', false);
  expect(asked).toBe(0);
  await expect(check('production', false)).rejects.toThrow(ServerVersionError);
  expect(said).toEqual([]);
  await check('production', true);
  expect(said).toEqual(['mongodb.old']);
});
