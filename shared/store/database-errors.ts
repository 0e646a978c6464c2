/** Tells driver errors that say that MongoDB cannot be used now from those that say that a statement of ours is wrong. */
import mongoose from 'mongoose';

const { mongo } = mongoose;

/**
 * Server codes for a wrong statement (error_codes.yml): sending it again cannot help, and it is a bug of ours. Every other code is about
 * the server's state: elections, shutdown, time limits, write concern, a full disk, missing rights.
 */
const WRONG_STATEMENT: ReadonlySet<unknown> = new Set([
  2, // BadValue
  4, // NoSuchKey
  9, // FailedToParse
  14, // TypeMismatch
  15, // Overflow
  16, // InvalidLength
  20, // IllegalOperation
  22, // InvalidBSON
  28, // PathNotViable
  40, // ConflictingUpdateOperators
  52, // DollarPrefixedFieldName
  54, // NotSingleValueField
  56, // EmptyFieldName
  57, // DottedFieldName
  59, // CommandNotFound
  66, // ImmutableField
  72, // InvalidOptions
  73, // InvalidNamespace
  85, // IndexOptionsConflict
  86, // IndexKeySpecsConflict
  121, // DocumentValidationFailure
  168, // InvalidPipelineOperator
  10334, // BSONObjectTooLarge
  11000, // DuplicateKey: who expects one catches it
  17280, // KeyTooLong
  17419, // The document would be larger than 16 MB after the update
]);

const UNAVAILABLE = [
  mongo.MongoNetworkError,
  mongo.MongoSystemError,
  mongo.MongoOperationTimeoutError,
  mongo.MongoNotConnectedError,
  mongo.MongoTopologyClosedError,
  mongo.MongoServerClosedError,
  mongo.MongoClientClosedError,
  mongo.MongoExpiredSessionError,
  mongo.MongoStalePrimaryError,
  mongo.MongoUnexpectedServerResponseError,
  mongo.MongoDecompressionError,
];

/** Error classes that the driver does not export: its connection pool was cleared or closed, or had no connection in time. */
const OF_THE_POOL = /^Mongo(Pool\w*|WaitQueueTimeout|ConnectionPoolClosed)Error$/;

/** Whether MongoDB refuses the statement at every try: a bug of ours, or a document that no release describes. */
export const isWrongStatement = (error: unknown): boolean =>
  error instanceof mongo.MongoServerError && WRONG_STATEMENT.has(error.code);

/** Errors of a command that the driver cannot write, such as one of more than 16 MB: none of it was sent. */
const NOT_WRITTEN = [mongo.MongoInvalidArgumentError, mongo.BSON.BSONError, RangeError];

/** Whether the driver or MongoDB refuses the statement at every try: it changes nothing, not even later. */
export const isRefused = (error: unknown): boolean =>
  isWrongStatement(error) || NOT_WRITTEN.some((known) => error instanceof known);

/**
 * Whether MongoDB did not answer, or cannot answer now: another try may succeed. The API answers `503` before a payment is stored, and
 * `pending` afterwards.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof mongo.MongoError)) return false;
  if (error instanceof mongo.MongoServerError) return !isWrongStatement(error);
  return UNAVAILABLE.some((known) => error instanceof known) || OF_THE_POOL.test(error.name);
}

/** MaxTimeMSExpired. */
const TIME_LIMIT_CODE = 50;

/** Whether MongoDB ended a statement because of its time limit: it read too much, or was too busy. */
export const exceededTimeLimit = (error: unknown): boolean =>
  error instanceof mongo.MongoServerError && error.code === TIME_LIMIT_CODE;
