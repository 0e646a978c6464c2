/**
 * Another API over the database of a test gateway, configured as production. Pages that only production shows can be tested to the end
 * with it, because the pools behind it still have the test processor.
 */

import type { Config } from '../../config/index.js';
import type { TestGateway } from './gateway.js';
import { type HostedFlows, hostedFlows } from './hosted-flows.js';
import { type SecondApi, startSecondApi } from './second-api.js';

export interface ProductionApi extends SecondApi {
  readonly flows: HostedFlows;
}

/** @param changes to the configuration of the gateway */
export async function startProductionApi(
  { config, database }: TestGateway,
  changes: Partial<Config> = {},
): Promise<ProductionApi> {
  // No production process starts on a testing database: the mark of the installation is removed first.
  await database.collection('installation').deleteMany({});
  const publicBaseUrl = 'https://pay.example.com';
  const production: Config = { ...config, publicBaseUrl, allowOldMongodb: true, ...changes, environment: 'production' };
  const api = await startSecondApi({ config: production });
  return { ...api, flows: hostedFlows(api.deps) };
}
