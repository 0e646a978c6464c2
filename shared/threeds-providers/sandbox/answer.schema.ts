/** Schemas of the answers of the test issuer; anything else counts as no answer. */
import Joi from 'joi';
import { answerReader } from '../../answer-reader.js';
import type { ARes, CardRange, ErrorMessage, RReq } from './messages.js';

const TEXT_LENGTH_MAX = 200;

const id = () => Joi.string().max(80).required();
const text = () => Joi.string().max(TEXT_LENGTH_MAX);

const identified = {
  messageVersion: text().required(),
  threeDSServerTransID: id(),
  dsTransID: id(),
  acsTransID: id(),
  purchaseAmount: Joi.string().pattern(/^\d+$/).required(),
  purchaseCurrency: Joi.string()
    .pattern(/^\d{3}$/)
    .required(),
};
const proof = { eci: Joi.string().pattern(/^\d{2}$/), authenticationValue: text() };

const webAddress = () => Joi.string().uri({ scheme: ['http', 'https'] });

const cardRangeSchema = Joi.object<CardRange>({
  threeDSServerTransID: id(),
  threeDSMethodURL: webAddress().max(256),
}).required();

const aresSchema = Joi.object<ARes>({
  ...identified,
  ...proof,
  messageType: Joi.valid('ARes').required(),
  transStatus: Joi.valid('Y', 'A', 'C', 'N', 'R', 'U').required(),
  acsURL: Joi.when('transStatus', {
    is: 'C',
    // biome-ignore lint/suspicious/noThenProperty: it is Joi's.
    then: webAddress().required(),
  }),
}).required();

const rreqSchema = Joi.object<RReq>({
  ...identified,
  ...proof,
  messageType: Joi.valid('RReq').required(),
  transStatus: Joi.valid('Y', 'A', 'N', 'R', 'U').required(),
  challengeCancel: Joi.valid('01', '04'),
}).required();

const errorSchema = Joi.object<ErrorMessage>({
  messageType: Joi.valid('Erro').required(),
  threeDSServerTransID: id(),
  errorCode: text().required(),
}).required();

export const readCardRange = answerReader<CardRange>(cardRangeSchema);
export const readARes = answerReader<ARes>(aresSchema);
export const readRReq = answerReader<RReq>(rreqSchema);
export const readError = answerReader<ErrorMessage>(errorSchema);
