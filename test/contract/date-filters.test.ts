/** Lists that are filtered by creation time: how the ends of the range are read. */
import { customerQuerySchema } from '../../api/customers/customer.schema.js';
import { paymentQuerySchema } from '../../api/payments/payment-query.schema.js';
import { sessionQuerySchema } from '../../api/sessions/session.schema.js';
import { threeDsSessionQuery } from '../../api/threeds/threeds-session.schema.js';

const rangeOf = (schema: { validate(sent: unknown): { value: unknown; error?: unknown } }, sent: object) => {
  const { value, error } = schema.validate(sent);
  if (error) throw error;
  const { minDate, maxDate } = value as { minDate: Date; maxDate: Date };
  return [minDate.toISOString(), maxDate.toISOString()];
};

describe.each([
  ['payments', paymentQuerySchema],
  ['customers', customerQuerySchema],
  ['sessions', sessionQuerySchema],
  ['3DS sessions', threeDsSessionQuery],
])('the date filter of %s', (_name, schema) => {
  test.each([
    ['2028-02-29', '2028-02-29', '2028-02-29T00:00:00.000Z', '2028-02-29T23:59:59.999Z'],
    ['2026-12-31', '2026-12-31', '2026-12-31T00:00:00.000Z', '2026-12-31T23:59:59.999Z'],
    ['0050-01-01', '9999-12-31', '0050-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'],
    ['2026-11-01T00:00', '2026-11-30T00:00', '2026-11-01T00:00:00.000Z', '2026-11-30T00:00:00.000Z'],
    ['20261101T000000Z', '20261130T000000Z', '2026-11-01T00:00:00.000Z', '2026-11-30T00:00:00.000Z'],
  ])('is read from %s to %s', (minDate, maxDate, from, until) =>
    expect(rangeOf(schema, { minDate, maxDate })).toEqual([from, until]),
  );
});
