/** Schemas of the answers of a 3D Secure server; anything else counts as no answer, and above all not as a proof. */
import Joi from 'joi';
import { answerReader } from '../../answer-reader.js';
import { type ARes, type CardRange, type ErrorMessage, messageVersions, type RReq } from './messages.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const METHOD_URL_LENGTH_MAX = 256;
const ACS_URL_LENGTH_MAX = 2048;
const TEXT_LENGTH_MAX = 2048;
const REFERENCE_LENGTH_MAX = 32;
/** 20 bytes in base64: 28 characters, the last of which is padding. No other number of bytes has this form. */
const AUTHENTICATION_VALUE = /^[A-Za-z0-9+/]{27}=$/;

const id = () => Joi.string().pattern(UUID);
const version = () => Joi.string().pattern(/^\d\.\d\.\d$/);
const webAddress = () => Joi.string().uri({ scheme: ['http', 'https'] });
const methodUrl = () => webAddress().max(METHOD_URL_LENGTH_MAX);

const cardRangeSchema = Joi.object<CardRange>({
  messageType: Joi.valid('CRD').required(),
  threeDSServerTransID: id().required(),
  acsStartProtocolVersion: version().required(),
  acsEndProtocolVersion: version().required(),
  dsStartProtocolVersion: version().required(),
  dsEndProtocolVersion: version().required(),
  dsProtocolVersions: Joi.array().items(version()),
  acsProtocolVersions: Joi.array().items(
    Joi.object({ version: version().required(), threeDSMethodURL: methodUrl() }).unknown(),
  ),
  threeDSMethodURL: methodUrl(),
}).required();

/** A proof without its value proves nothing to an acquirer. */
const authenticationValue = Joi.when('transStatus', {
  is: Joi.valid('Y', 'A'),
  // biome-ignore lint/suspicious/noThenProperty: it is Joi's.
  then: Joi.string().pattern(AUTHENTICATION_VALUE).required(),
});

const identified = {
  messageVersion: Joi.valid(...messageVersions).required(),
  threeDSServerTransID: id().required(),
  dsTransID: id().required(),
  acsTransID: id().required(),
  purchaseAmount: Joi.string(),
  purchaseCurrency: Joi.string(),
  eci: Joi.string().pattern(/^\d{2}$/),
  authenticationValue,
  transStatusReason: Joi.string().pattern(/^\d{2}$/),
};

/** Reference numbers that EMVCo assigns to the ACS and the directory server that answered. */
interface Referenced {
  readonly acsReferenceNumber: string;
  readonly dsReferenceNumber: string;
}

const aresSchema = Joi.object<ARes & Referenced>({
  ...identified,
  messageType: Joi.valid('ARes').required(),
  acsReferenceNumber: Joi.string().max(REFERENCE_LENGTH_MAX).required(),
  dsReferenceNumber: Joi.string().max(REFERENCE_LENGTH_MAX).required(),
  transStatus: Joi.when('messageVersion', {
    is: '2.1.0',
    // biome-ignore lint/suspicious/noThenProperty: it is Joi's.
    then: Joi.valid('Y', 'A', 'C', 'N', 'R', 'U').required(),
    otherwise: Joi.valid('Y', 'A', 'C', 'N', 'R', 'U', 'D', 'I').required(),
  }),
  acsURL: Joi.when('transStatus', {
    is: 'C',
    // biome-ignore lint/suspicious/noThenProperty: it is Joi's.
    then: webAddress().max(ACS_URL_LENGTH_MAX).required(),
  }),
}).required();

const rreqSchema = Joi.object<RReq & { readonly messageCategory: string }>({
  ...identified,
  messageType: Joi.valid('RReq').required(),
  messageCategory: Joi.valid('01').required(),
  transStatus: Joi.valid('Y', 'A', 'N', 'R', 'U').required(),
  challengeCancel: Joi.string().pattern(/^\d{2}$/),
}).required();

const errorSchema = Joi.object<ErrorMessage>({
  messageType: Joi.valid('Erro').required(),
  errorCode: Joi.string()
    .pattern(/^\d{3}$/)
    .required(),
  errorComponent: Joi.string().valid('C', 'S', 'D', 'A'),
  errorDescription: Joi.string().allow('').max(TEXT_LENGTH_MAX),
  threeDSServerTransID: Joi.string().allow('').max(TEXT_LENGTH_MAX),
}).required();

export const readCardRange = answerReader<CardRange>(cardRangeSchema);
export const readARes = answerReader<ARes>(aresSchema);
export const readRReq = answerReader<RReq>(rreqSchema);
export const readError = answerReader<ErrorMessage>(errorSchema);
