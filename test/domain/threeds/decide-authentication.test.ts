import {
  type AuthenticationFacts,
  type AuthenticationSource,
  decideAuthentication,
} from '../../../shared/domain/threeds/decide-authentication.js';
import type { ThreeDsSettings } from '../../../shared/domain/threeds/settings.js';

const settings = (more: Partial<ThreeDsSettings['rules']> = {}, enabled = true): ThreeDsSettings => ({
  provider: 'sandbox',
  metadata: [],
  enabled,
  rules: { enabled: true, tier: 'basic', thresholds: { api: { USD: 5000 }, checkout: { USD: 3000, JPY: 0 } }, ...more },
});

const facts = (more: Partial<AuthenticationFacts> = {}): AuthenticationFacts => ({
  channel: 'api',
  source: 'card',
  amountMinor: 5000,
  currency: 'USD',
  purpose: 'payment',
  disabledForSession: false,
  recurring: undefined,
  external: false,
  ...more,
});

const decided = (more: Partial<AuthenticationFacts>, given: ThreeDsSettings | undefined = settings()) => {
  const decision = decideAuthentication(facts(more), given);
  return decision ? `${decision.required ? 'ask' : 'skip'}: ${decision.reason}` : 'nothing to decide';
};

const channels: readonly AuthenticationFacts['channel'][] = ['api', 'checkout'];
const asked: readonly AuthenticationSource[] = ['card', 'token', 'wallet-pan-only'];
const proven: readonly AuthenticationSource[] = ['network-token', 'wallet-cryptogram'];

describe.each(channels)('through %s', (channel) => {
  const threshold = channel === 'api' ? 5000 : 3000;

  test.each(asked)('a %s follows the rules of its channel', (source) => {
    const by = (more: Partial<AuthenticationFacts>, given?: ThreeDsSettings) =>
      decided({ channel, source, ...more }, given);
    expect(by({ amountMinor: threshold })).toBe('ask: amount-at-threshold');
    expect(by({ amountMinor: threshold + 1 })).toBe('ask: amount-at-threshold');
    expect(by({ amountMinor: threshold - 1 })).toBe('skip: amount-below-threshold');
    expect(by({ currency: 'UYU', amountMinor: 9_999_999 })).toBe('skip: no-threshold-for-currency');
    expect(by({ currency: 'constructor' })).toBe('skip: no-threshold-for-currency');
    expect(by({ amountMinor: 1 }, settings({ enabled: false }))).toBe('ask: always');
    expect(by({ amountMinor: threshold, recurring: 'initial' })).toBe('ask: amount-at-threshold');
    expect(by({ amountMinor: 1, issuerRequired: true })).toBe('ask: issuer-required');
    expect(by({ currency: 'UYU', issuerRequired: true })).toBe('ask: issuer-required');
    expect(by({ issuerRequired: true, disabledForSession: true })).toBe('skip: disabled-for-session');
    expect(by({ issuerRequired: true }, settings({}, false))).toBe('nothing to decide');
  });

  test.each([...asked, ...proven, 'click-to-pay-token'] as const)(
    'a %s is not asked for reasons that precede every rule',
    (source) => {
      const by = (more: Partial<AuthenticationFacts>, given?: ThreeDsSettings) =>
        decided({ channel, source, ...more }, given ?? settings({ enabled: false }));
      expect(by({ external: true })).toBe('skip: external-authentication');
      expect(by({ external: true, disabledForSession: true })).toBe('skip: external-authentication');
      expect(by({ recurring: 'subsequent' })).toBe('skip: merchant-initiated');
      expect(by({ purpose: 'verification' })).toBe('skip: verification');
      expect(by({ disabledForSession: true })).toBe('skip: disabled-for-session');
      expect(by({}, settings({}, false))).toBe('nothing to decide');
    },
  );

  test.each(proven)('a %s is not asked because it has its own cryptogram', (source) => {
    expect(decided({ channel, source }, settings({ enabled: false }))).toBe('skip: token-cryptogram');
  });

  test('a click-to-pay token is not asked because only the processor knows the card', () => {
    expect(decided({ channel, source: 'click-to-pay-token' }, settings({ enabled: false }))).toBe(
      'skip: card-not-known',
    );
  });
});

test('a threshold of 0 asks for every amount of its currency', () => {
  expect(decided({ channel: 'checkout', currency: 'JPY', amountMinor: 1 })).toBe('ask: amount-at-threshold');
});

test('a method without settings has no decision, unless the merchant sent an external authentication', () => {
  expect(decideAuthentication(facts(), undefined)).toBeUndefined();
  expect(decideAuthentication(facts({ external: true }), undefined)).toEqual({
    required: false,
    reason: 'external-authentication',
  });
});
