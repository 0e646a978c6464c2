import {
  clearable,
  count,
  flag,
  list,
  mapOf,
  oneOf,
  optional,
  record,
  type Stored,
  type StoredSchema,
  text,
  time,
} from '../../shared/domain/described.js';
import { storedPayment } from '../../shared/domain/payment/payment.js';

const thing = record({
  name: text,
  at: clearable(time),
  kind: oneOf('a', 'b'),
  sizes: optional(list(count)),
  rates: mapOf(count),
  nested: record({ open: optional(flag) }),
});

/** The type of `thing` written by hand: the compiler compares the two in both directions. */
interface Thing {
  readonly name: string;
  readonly at?: Date | undefined;
  readonly kind: 'a' | 'b';
  readonly sizes?: readonly number[];
  readonly rates: Readonly<Record<string, number>>;
  readonly nested: { readonly open?: boolean };
}

test('the derived type equals the type written by hand', () => {
  type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
  type Flat<T> = {
    [K in keyof T]: T[K] extends readonly unknown[] | Date ? T[K] : T[K] extends object ? Flat<T[K]> : T[K];
  };
  const same: Same<Flat<Stored<typeof thing>>, Flat<Thing>> = true;
  // @ts-expect-error `sizes` is not clearable, so it is never undefined.
  const cleared: Stored<typeof thing> = { name: 'n', kind: 'a', rates: {}, nested: {}, sizes: undefined };
  // @ts-expect-error `c` is not a kind.
  const other: Stored<typeof thing>['kind'] = 'c';
  expect([same, cleared, other]).toHaveLength(3);
});

test('the schema of an object lists its required fields and refuses other fields', () => {
  expect(thing).toEqual({
    bsonType: 'object',
    additionalProperties: false,
    required: ['name', 'kind', 'rates', 'nested'],
    properties: {
      name: { bsonType: 'string' },
      at: { bsonType: 'date' },
      kind: { enum: ['a', 'b'] },
      sizes: { bsonType: 'array', items: count },
      rates: { bsonType: 'object', additionalProperties: count },
      // An empty list of required fields is an error to MongoDB.
      nested: { bsonType: 'object', additionalProperties: false, properties: { open: { bsonType: 'bool' } } },
    },
  });
});

test('no object of a payment, at any depth, accepts a field that is not described', () => {
  const open = ({ bsonType, properties = {}, additionalProperties, items }: StoredSchema, path: string): string[] => [
    ...(bsonType === 'object' && additionalProperties === undefined ? [path] : []),
    ...(items ? open(items, `${path}[]`) : []),
    ...Object.entries(properties).flatMap(([name, inner]) => open(inner, `${path}.${name}`)),
  ];
  expect(Object.keys(storedPayment.properties ?? {}).length).toBeGreaterThan(50);
  expect(open(storedPayment, 'payment')).toEqual([]);
});
