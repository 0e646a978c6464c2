import { limits } from '../../config/limits.js';
import { body, Joi, named, query, text } from '../../shared/contract/joi.js';
import { type PageQuery, pageFields } from '../http/paging.js';

export interface MerchantIdParams {
  readonly merchantId: number;
}

export const merchantIdField = Joi.int32().min(1).required().description('A merchant of the calling client.');
export const merchantIdParams = body<MerchantIdParams>({ merchantId: merchantIdField });

interface MerchantListQuery extends PageQuery {
  readonly name?: string;
}

export const merchantListQuery = query<MerchantListQuery>({
  name: text(limits.nameLengthMax).description('Part of the name, case-insensitive.'),
  ...pageFields,
});

const nullableText = () => Joi.string().allow(null).required();
const dateTime = () => Joi.dateTime().required();

/** The merchant record (docs/decisions.md, "merchant record"). Every field is always there; unknown values are null. */
export const merchantSchema = named(
  'Merchant',
  body({
    id: Joi.int32().required(),
    name: Joi.string().required(),
    legalName: nullableText(),
    status: Joi.string()
      .valid('active', 'suspended')
      .required()
      .description('A suspended merchant accepts no new payments; reading and refunding still work.'),
    country: nullableText().description('ISO 3166-1 alpha-2.'),
    defaultCurrency: nullableText().description('ISO 4217 alphabetic code.'),
    taxId: nullableText(),
    logoUrl: nullableText(),
    logoContentType: nullableText(),
    logoUploadedAt: Joi.dateTime().allow(null).required(),
    createdAt: dateTime(),
    updatedAt: dateTime(),
  }),
);

export const merchantListSchema = Joi.array().items(merchantSchema);

export const merchantLogoSchema = body({
  logoUrl: Joi.string()
    .required()
    .description('Public; changes with the picture, so that it can be cached permanently.'),
  logoContentType: Joi.string().valid('image/png', 'image/jpeg', 'image/webp').required(),
  logoUploadedAt: dateTime(),
});
