import mongoose from 'mongoose';
import { toGatewayError } from '../../api/http/error-middleware.js';
import { databaseProblem } from '../../shared/store/database.js';
import { isUnavailable } from '../../shared/store/database-errors.js';

const { mongo } = mongoose;

/** Meaning of each error class of the driver. A new class fails a test until it is added here. */
const classes: Record<string, 'unavailable' | 'bug'> = {
  MongoAPIError: 'bug',
  MongoAWSError: 'bug',
  MongoAzureError: 'bug',
  MongoBatchReExecutionError: 'bug',
  MongoBulkWriteError: 'unavailable',
  MongoChangeStreamError: 'bug',
  MongoClientBulkWriteCursorError: 'bug',
  MongoClientBulkWriteError: 'unavailable',
  MongoClientBulkWriteExecutionError: 'bug',
  MongoClientClosedError: 'unavailable',
  MongoCompatibilityError: 'bug',
  MongoCryptAzureKMSRequestError: 'bug',
  MongoCryptCreateDataKeyError: 'bug',
  MongoCryptCreateEncryptedCollectionError: 'bug',
  MongoCryptError: 'bug',
  MongoCryptInvalidArgumentError: 'bug',
  MongoCryptKMSRequestNetworkTimeoutError: 'bug',
  MongoCursorExhaustedError: 'bug',
  MongoCursorInUseError: 'bug',
  MongoDecompressionError: 'unavailable',
  MongoDriverError: 'bug',
  MongoError: 'bug',
  MongoExpiredSessionError: 'unavailable',
  MongoGCPError: 'bug',
  MongoGridFSChunkError: 'bug',
  MongoGridFSStreamError: 'bug',
  MongoInvalidArgumentError: 'bug',
  MongoKerberosError: 'bug',
  MongoMissingCredentialsError: 'bug',
  MongoMissingDependencyError: 'bug',
  MongoNetworkError: 'unavailable',
  MongoNetworkTimeoutError: 'unavailable',
  MongoNotConnectedError: 'unavailable',
  MongoOIDCError: 'bug',
  MongoOperationTimeoutError: 'unavailable',
  MongoParseError: 'bug',
  MongoRuntimeError: 'bug',
  MongoServerClosedError: 'unavailable',
  MongoServerError: 'unavailable',
  MongoServerSelectionError: 'unavailable',
  MongoStalePrimaryError: 'unavailable',
  MongoSystemError: 'unavailable',
  MongoTailableCursorError: 'bug',
  MongoTopologyClosedError: 'unavailable',
  MongoTransactionError: 'bug',
  MongoUnexpectedServerResponseError: 'unavailable',
  MongoWriteConcernError: 'unavailable',
};

/** Builds an error of a class of the driver without the arguments that its constructor requires. */
function thrown(name: string, code?: number): Error {
  const kind = (mongo as unknown as Record<string, { prototype: object }>)[name];
  const error = Object.create(kind?.prototype ?? null);
  Object.defineProperty(error, 'message', { value: 'of the test' });
  if (code !== undefined) Object.defineProperty(error, 'code', { value: code });
  return error;
}

const serverError = (code: number) => new mongo.MongoServerError({ message: 'of the test', code });

test('every class of errors that the driver exports is in the table', () => {
  const exported = Object.keys(mongo).filter((name) => name.endsWith('Error'));
  expect(exported.sort()).toEqual(Object.keys(classes).sort());
});

test.each(Object.entries(classes))('%s means: %s', (name, meaning) => {
  expect(isUnavailable(thrown(name))).toBe(meaning === 'unavailable');
});

test.each([
  ['HostUnreachable', 6],
  ['Unauthorized', 13],
  ['AuthenticationFailed', 18],
  ['MaxTimeMSExpired', 50],
  ['WriteConcernTimeout', 64],
  ['UnknownReplWriteConcern', 79],
  ['NetworkTimeout', 89],
  ['ShutdownInProgress', 91],
  ['UnsatisfiableWriteConcern', 100],
  ['ReadConcernMajorityNotAvailableYet', 134],
  ['ExceededMemoryLimit', 146],
  ['PrimarySteppedDown', 189],
  ['ExceededTimeLimit', 262],
  ['SocketException', 9001],
  ['NotWritablePrimary', 10107],
  ['InterruptedAtShutdown', 11600],
  ['Interrupted', 11601],
  ['InterruptedDueToReplStateChange', 11602],
  ['NotPrimaryNoSecondaryOk', 13435],
  ['NotPrimaryOrSecondary', 13436],
  ['OutOfDiskSpace', 14031],
])('%s (%d) is answered 503 with Retry-After', (_name, code) => {
  const error = toGatewayError(serverError(code));
  expect(error).toMatchObject({ status: 503, code: 'timeout' });
  expect(error.retryAfterSeconds).toBeGreaterThan(0);
});

test.each([
  ['BadValue', 2],
  ['TypeMismatch', 14],
  ['DocumentValidationFailure', 121],
  ['DuplicateKey', 11000],
])('%s (%d) is a bug: it is answered 500 without Retry-After', (_name, code) => {
  expect(toGatewayError(serverError(code))).toMatchObject({ status: 500, retryAfterSeconds: undefined });
});

test.each([
  'MongoPoolClearedError',
  'MongoPoolClearedOnNetworkError',
  'MongoPoolClosedError',
  'MongoWaitQueueTimeoutError',
])('%s, which the driver does not export, counts as unavailable', (name) => {
  const error = new mongo.MongoError('of the test');
  Object.defineProperty(error, 'name', { value: name });
  expect(isUnavailable(error)).toBe(true);
});

test('an error that is not of MongoDB does not count as unavailable', () => {
  for (const error of [new Error('x'), new TypeError('x'), null, undefined, { code: 189 }, 'MongoNetworkError']) {
    expect(isUnavailable(error)).toBe(false);
  }
});

test('missing rights are explained without the command, whose values may be of a payment', () => {
  const command = '{ find: "payments", filter: { _id: "pay_1" }, $db: "other" }';
  const error = new mongo.MongoServerError({
    message: `not authorized on other to execute command ${command}`,
    code: 13,
  });
  expect(databaseProblem(error)).toBe(
    'MongoDB refused: not authorized on other. MONGODB_URI has to name a user with readWrite on its database and on ' +
      '<database>_ephemeral (docs/production.md#mongodb).',
  );
  expect(databaseProblem(new mongo.MongoServerError({ message: 'Authentication failed.', code: 18 }))).toBe(
    'MongoDB refused: Authentication failed. Correct user and password in MONGODB_URI. A user that was made in another database than ' +
      'the one in the path needs its name: authSource=admin.',
  );
});
