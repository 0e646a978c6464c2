/** The direction of dependency (ARCHITECTURE.md). `npm run check` and test/guards/dependency-rules.test.ts run it. */

const OWN = '^(api|workers|shared|config|scripts|bench|test)/';
/** What both tiers stand on; `scripts`, `bench` and `test` may use anything. */
const PRODUCT = '^(api|workers|shared|config)/';

/** Only the named folders import a package. @param {string} name @param {string} packages @param {string} allowed */
const only = (name, packages, allowed) => ({
  name,
  severity: 'error',
  from: { path: PRODUCT, pathNot: allowed },
  to: { path: `^node_modules/(${packages})/` },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'tiers-do-not-meet',
      comment: 'api and workers meet in shared/queue and the database only.',
      severity: 'error',
      from: { path: '^(api|workers)/' },
      to: { path: '^(api|workers)/', pathNot: '^$1/' },
    },
    {
      name: 'pools-do-not-meet',
      comment: 'One pool never imports another one: a pool is a folder, a queue and a Procfile line.',
      severity: 'error',
      from: { path: '^workers/([^/]+)/' },
      to: { path: '^workers/[^/]+/', pathNot: '^workers/$1/' },
    },
    {
      name: 'shared-stands-below',
      comment: 'shared never imports a tier, a test or a script.',
      severity: 'error',
      from: { path: '^shared/' },
      to: { path: OWN, pathNot: '^(shared|config)/' },
    },
    {
      name: 'config-stands-alone',
      severity: 'error',
      from: { path: '^config/' },
      to: { path: OWN, pathNot: '^config/' },
    },
    {
      name: 'product-imports-no-test-or-script',
      comment: 'What only developers run (scripts/sandbox: test processor, seeds) is not in the image of production.',
      severity: 'error',
      from: { path: '^(api|workers)/' },
      to: { path: '^(test|bench|scripts)/' },
    },
    {
      name: 'domain-is-pure',
      comment: 'No I/O, clock, configuration or framework: the domain and pure libraries only.',
      severity: 'error',
      from: { path: '^shared/domain/' },
      to: { path: OWN, pathNot: '^shared/domain/' },
    },
    {
      name: 'domain-imports-pure-libraries',
      severity: 'error',
      from: { path: '^shared/domain/' },
      to: { path: '^node_modules/', pathNot: '^node_modules/(decimal\\.js|card-validator|iso-3166|@types)/' },
    },
    {
      name: 'domain-does-no-io',
      severity: 'error',
      from: { path: '^shared/domain/' },
      to: { dependencyTypes: ['core'] },
    },
    only('mongoose-in-store', 'mongoose|mongodb', '^shared/store/'),
    only('bullmq-in-queue', 'bullmq', '^(shared/queue/|workers/take-jobs\\.ts$)'),
    only('express-in-api', 'express|celebrate|@types/express[^/]*', '^api/'),
    {
      name: 'api-knows-no-adapter',
      comment: 'The API may know what a processor or a 3DS provider can do, never how it is spoken to.',
      severity: 'error',
      from: { path: '^api/' },
      to: { path: '^shared/(processors|threeds-providers)/[^/]+/' },
    },
  ],
  options: {
    doNotFollow: { path: '^node_modules/' },
    exclude: { path: ['^dist/', '^\\.local/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      // `generate.js` in an import is `generate.ts`, also where a `generate.mjs` stands beside it.
      extensions: ['.ts', '.d.ts', '.mjs', '.cjs', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
