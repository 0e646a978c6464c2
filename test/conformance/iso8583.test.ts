/**
 * `iso8583` against an acquirer on jPOS, in four dialects. Unknown outcomes are tested in test/processors/iso8583, where the acquirer
 * misbehaves on the wire.
 */
import { capabilitiesOf } from '../../shared/processors/capabilities-of.js';
import { capabilityTable } from '../../shared/processors/capability-table.js';
import type { Profile } from '../../shared/processors/iso8583/profile/profile.js';
import { builtInProfile, readProfile } from '../../shared/processors/iso8583/profile/read-profile.js';
import { openIsoHarness } from '../processors/iso8583/iso-harness.js';
import { cardOf } from '../processors/sandbox/sandbox-harness.js';
import { describeWithJpos, type Packager, startAcquirer } from '../support/jpos/acquirer.js';
import { describeOperations } from './operations-suite.js';
import { openSuite, type ProcessorHarness } from './suite.js';

/** This packager pads odd numbers of digits at the other end: the profile differs only in data. */
const padded = readProfile({ name: 'padded', extends: '1993-bcd', padding: 'right-0' });

async function makeHarness(profile: Profile, packager: Packager): Promise<ProcessorHarness> {
  const acquirer = await startAcquirer(packager);
  const harness = await openIsoHarness('conformance', profile);
  return {
    address: String(acquirer.port),
    connect: (port, timeoutMs) => harness.connect(Number(port), { timeoutMs }),
    cards: { approved: cardOf('4242424242424242'), declined: cardOf('4000000000000002') },
    currency: 'USD',
    acquirer: 'iso8583',
    inquiryLagMs: 0,
    books: () => harness.ledger(acquirer),
    tamper: (_field, answer) => answer,
    logged: harness.log.text,
    async close() {
      await acquirer.close();
      await harness.close();
    },
  };
}

describeWithJpos('iso8583 conforms to the processor port', () => {
  describe.each<[string, Packager, Profile]>([
    ['1987-ascii', 'ISO87APackager', builtInProfile('1987-ascii')],
    ['1987-bcd', 'ISO87BPackager', builtInProfile('1987-bcd')],
    ['1993-ascii', 'ISO93APackager', builtInProfile('1993-ascii')],
    ['1993-bcd', 'ISO93BPackager', padded],
  ])('with %s', (_name, packager, profile) => {
    const suite = openSuite('iso8583', () => makeHarness(profile, packager));
    it('has the capabilities of the table: else run `npm run generate`', () => {
      expect(suite.processor.code).toBe('iso8583');
      expect(capabilitiesOf(suite.processor)).toEqual(capabilityTable.iso8583);
    });
    describeOperations(suite);

    it('never logs card data', () => {
      expect(suite.harness.logged()).toContain('424242******4242');
      expect(suite.harness.logged()).not.toMatch(/4242424242424242|4000000000000002/);
    });
  });
});
