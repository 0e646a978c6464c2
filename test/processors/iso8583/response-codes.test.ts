import { meaningOf } from '../../../shared/processors/iso8583/adapter/response-codes.js';

describe('action codes of 1993', () => {
  it.each([
    ['000', 'done'],
    ['002', 'partly'],
    ['100', 'declined'],
    ['903', 'declined'],
    ['907', 'failed'],
    ['910', 'failed'],
    ['911', 'unclear'],
    ['912', 'failed'],
    ['914', 'missing'],
    ['999', 'unclear'],
  ])('%s: %s', (code, verdict) => {
    expect(meaningOf(code, '1993')).toMatchObject({ verdict });
  });
});
