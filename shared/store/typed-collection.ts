/**
 * A collection whose statements know the stored document. The driver's own types take any field name and refuse readonly lists. With
 * these types, a path that the document does not have, or a value of another type, does not compile, even in a statement that is
 * assembled from parts.
 */
import type { mongo } from 'mongoose';
import type { JsonValue } from '../domain/json-metadata.js';

type Document = mongo.Document;

/** Values that have no fields for MongoDB. */
type Leaf = string | number | boolean | null | undefined | Date | Uint8Array;
type Item<V> = V extends readonly (infer U)[] ? U : V;
/** Whether any field is allowed: in a map, or in a document of unknown shape. */
type IsOpen<T> = string extends keyof T ? true : false;
/** Maximum number of names in a path, which bounds the compiler's work. No stored value that is queried is deeper. */
type Deepest = [1, 1, 1, 1];

/** Dotted paths. As in MongoDB, they go through lists by the fields of the elements. Arbitrary JSON has any path. */
type Path<T, Left extends unknown[] = Deepest> = [JsonValue] extends [T] ? string : PathOf<T, Left>;
type PathOf<T, Left extends unknown[]> = T extends Leaf
  ? never
  : T extends readonly (infer U)[]
    ? Path<U, Left>
    : IsOpen<T> extends true
      ? string
      : Left extends [unknown, ...infer Less]
        ? { [K in keyof T & string]: K | `${K}.${Path<NonNullable<T[K]>, Less>}` }[keyof T & string]
        : never;

/** Type of the value at a path. */
type At<T, P extends string> = [JsonValue] extends [T] ? unknown : AtOf<T, P>;
type AtOf<T, P extends string> = T extends Leaf
  ? never
  : T extends readonly (infer U)[]
    ? At<U, P>
    : P extends keyof T
      ? NonNullable<T[P]>
      : P extends `${infer K}.${infer Rest}`
        ? K extends keyof T
          ? At<NonNullable<T[K]>, Rest>
          : never
        : never;

/** Type of the end of a range, which need not be a value of the field. */
type Bound<V> = V extends string ? string : V;
/** Operators that compare a stored value. */
interface Operators<V> {
  readonly $eq?: V | Item<V>;
  readonly $ne?: V | Item<V>;
  readonly $gt?: Bound<Item<V>>;
  readonly $gte?: Bound<Item<V>>;
  readonly $lt?: Bound<Item<V>>;
  readonly $lte?: Bound<Item<V>>;
  readonly $in?: readonly Item<V>[];
  readonly $nin?: readonly Item<V>[];
  readonly $exists?: boolean;
  readonly $not?: Operators<V>;
  readonly $elemMatch?: Conditions<Item<V>>;
  readonly $regex?: string;
  readonly $options?: string;
}
type Test<V> = V | Item<V> | Operators<V> | (string extends V ? RegExp : never);

type Connectives = '$and' | '$or' | '$nor';
type Conditions<T> =
  IsOpen<T> extends true
    ? Document
    : { readonly [P in Path<T>]?: Test<At<T, P>> } & {
        readonly [C in Connectives]?: readonly Conditions<T>[];
      } & { readonly $expr?: object };

/** Conditions on a document; all of them have to hold. */
export type Where<T> = Conditions<T>;

type Values<T> = IsOpen<T> extends true ? Document : { readonly [P in Path<T>]?: At<T, P> };
/** Paths with `$[]`, which names each element of a list, are not checked. */
type Names<T> = IsOpen<T> extends true ? Document : { readonly [P in Path<T> | `${string}.$[].${string}`]?: '' | 1 };
type Numbers<T> =
  IsOpen<T> extends true ? Document : { readonly [P in Path<T> as At<T, P> extends number ? P : never]?: number };
/** An addition of several elements to a list, with the options of the operator. */
interface Added<U> {
  readonly $each: readonly U[];
  readonly $position?: number;
  readonly $slice?: number;
}
type Additions<T> =
  IsOpen<T> extends true
    ? Document
    : {
        readonly [P in Path<T> as At<T, P> extends readonly unknown[] ? P : never]?:
          | Item<At<T, P>>
          | Added<Item<At<T, P>>>;
      };

/** Changes of an update. */
export interface Change<T> {
  readonly $set?: Values<T>;
  readonly $setOnInsert?: Values<T>;
  readonly $unset?: Names<T>;
  readonly $inc?: Numbers<T>;
  readonly $max?: Values<T>;
  readonly $min?: Values<T>;
  readonly $push?: Additions<T>;
  readonly $addToSet?: Additions<T>;
  readonly $pull?: Document;
}

/** Stages of an update: their expressions are not checked. */
type Stages = readonly object[];

/**
 * `unknown` when a value has no other fields than the allowed ones, otherwise `never`: the compiler itself checks only literals without
 * spreads.
 */
type Only<F, Allowed> = { [K in keyof F]: K extends keyof Allowed ? unknown : never };
type Known<F, T> = {
  [K in keyof F]: K extends Connectives
    ? NonNullable<F[K]> extends readonly (infer G)[]
      ? readonly Known<G, T>[]
      : never
    : K extends keyof Where<T>
      ? unknown
      : never;
};
type KnownChange<U, T> = U extends Stages
  ? unknown
  : { [K in keyof U]: K extends keyof Change<T> ? Only<NonNullable<U[K]>, NonNullable<Change<T>[K]>> : never };

/** One write of many. */
export type Write<T extends Document> =
  | { readonly updateOne: OneWrite<T> }
  | { readonly updateMany: OneWrite<T> }
  | {
      readonly replaceOne: {
        readonly filter: Where<T>;
        readonly replacement: Omit<T, '_id'>;
        readonly upsert?: boolean;
      };
    };
interface OneWrite<T> {
  readonly filter: Where<T>;
  readonly update: Change<T> | Stages;
  readonly upsert?: boolean;
}

type Driver<T extends Document> = mongo.Collection<T>;
type Abortable = mongo.Abortable;
type Found<T> = mongo.WithId<T>;

type Rewritten =
  | 'bulkWrite'
  | 'countDocuments'
  | 'deleteMany'
  | 'deleteOne'
  | 'distinct'
  | 'find'
  | 'findOne'
  | 'findOneAndDelete'
  | 'findOneAndReplace'
  | 'findOneAndUpdate'
  | 'insertMany'
  | 'insertOne'
  | 'replaceOne'
  | 'updateMany'
  | 'updateOne';

/** The driver's collection with the types above. It is the driver's object: `openDatabase` casts it once. */
export interface Collection<T extends Document> extends Omit<Driver<T>, Rewritten> {
  /** With a projection, `R` is the type of what remains. */
  find<R extends Document = Found<T>, F extends Where<T> = Where<T>>(
    filter?: F & Known<F, T>,
    options?: mongo.FindOptions & Abortable,
  ): mongo.FindCursor<R>;
  findOne<F extends Where<T>>(
    filter: F & Known<F, T>,
    options?: Omit<mongo.FindOneOptions, 'timeoutMode'> & Abortable,
  ): Promise<Found<T> | null>;
  countDocuments<F extends Where<T>>(
    filter?: F & Known<F, T>,
    options?: mongo.CountDocumentsOptions & Abortable,
  ): Promise<number>;
  distinct<P extends Path<T>>(path: P, filter?: Where<T>, options?: mongo.DistinctOptions): Promise<Item<At<T, P>>[]>;
  insertOne(document: T, options?: mongo.InsertOneOptions): Promise<mongo.InsertOneResult<T>>;
  insertMany(documents: readonly T[], options?: mongo.BulkWriteOptions): Promise<mongo.InsertManyResult<T>>;
  updateOne<F extends Where<T>, U extends Change<T> | Stages>(
    filter: F & Known<F, T>,
    update: U & KnownChange<U, T>,
    options?: mongo.UpdateOptions,
  ): Promise<mongo.UpdateResult<T>>;
  updateMany<F extends Where<T>, U extends Change<T> | Stages>(
    filter: F & Known<F, T>,
    update: U & KnownChange<U, T>,
    options?: mongo.UpdateOptions,
  ): Promise<mongo.UpdateResult<T>>;
  findOneAndUpdate<F extends Where<T>, U extends Change<T> | Stages>(
    filter: F & Known<F, T>,
    update: U & KnownChange<U, T>,
    options?: mongo.FindOneAndUpdateOptions,
  ): Promise<Found<T> | null>;
  replaceOne<F extends Where<T>>(
    filter: F & Known<F, T>,
    replacement: Omit<T, '_id'>,
    options?: mongo.ReplaceOptions,
  ): Promise<mongo.UpdateResult<T>>;
  deleteOne<F extends Where<T>>(filter: F & Known<F, T>, options?: mongo.DeleteOptions): Promise<mongo.DeleteResult>;
  deleteMany<F extends Where<T>>(filter: F & Known<F, T>, options?: mongo.DeleteOptions): Promise<mongo.DeleteResult>;
  bulkWrite(operations: readonly Write<T>[], options?: mongo.BulkWriteOptions): Promise<mongo.BulkWriteResult>;
}

/** Condition of these ids. For one id it is an equality, which MongoDB answers faster. */
export const among = (ids: readonly string[]) => {
  const [first, second] = ids;
  return first === undefined || second !== undefined ? { $in: ids } : first;
};
