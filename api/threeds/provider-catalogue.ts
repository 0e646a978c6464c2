/** The catalogue of 3DS providers: a data file (THREEDS_PROVIDERS_FILE) that is read each time, so that it can be changed at runtime. */
import { readFile } from 'node:fs/promises';
import Joi from 'joi';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { ThreeDsProviderRow } from '../../shared/domain/threeds/settings.js';
import { type Installation, isProviderOf } from '../../shared/threeds-providers/codes.js';

const names = () => Joi.array().items(Joi.string().min(1)).required();

const catalogueSchema = Joi.array()
  .items(
    Joi.object({
      name: Joi.string().required(),
      code: Joi.string().required(),
      enabled: Joi.boolean().required(),
      requiredFields: names(),
      supportedPaymentMethods: names(),
    }),
  )
  .unique('code', { ignoreUndefined: true })
  .required();

export interface ProviderCatalogue {
  /** Returns the providers that this installation has an adapter for. @throws {GatewayError} 400 when the file cannot be read. */
  list(): Promise<readonly ThreeDsProviderRow[]>;
}

/** Opens the catalogue in `file`. The file is read only when the list is requested. */
export function openProviderCatalogue(file: string, installation: Installation): ProviderCatalogue {
  return {
    async list() {
      try {
        const rows = Joi.attempt(JSON.parse(await readFile(file, 'utf8')), catalogueSchema) as ThreeDsProviderRow[];
        return rows.filter(({ code }) => isProviderOf(installation, code));
      } catch (cause) {
        throw new GatewayError('request-validation-errors', {
          message: 'The catalogue of 3DS providers cannot be retrieved.',
          internal: `the 3DS provider catalogue ${file} cannot be read`,
          cause,
        });
      }
    },
  };
}

/** Finds the row of a code, case-insensitively. */
export const findProvider = (rows: readonly ThreeDsProviderRow[], code: string): ThreeDsProviderRow | undefined =>
  rows.find((row) => row.code.toLowerCase() === code.toLowerCase());
