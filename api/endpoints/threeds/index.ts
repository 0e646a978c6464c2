import { checkThreeDsEndpoint } from './check-threeds.endpoint.js';
import { createThreeDsSettingsEndpoint } from './create-settings.endpoint.js';
import { getThreeDsProviderEndpoint } from './get-provider.endpoint.js';
import { getThreeDsSettingsEndpoint } from './get-settings.endpoint.js';
import { listThreeDsProvidersEndpoint } from './list-providers.endpoint.js';
import { listThreeDsSessionsEndpoint } from './list-sessions.endpoint.js';
import { replaceThreeDsSettingsEndpoint } from './replace-settings.endpoint.js';

export const threeDsEndpoints = [
  listThreeDsProvidersEndpoint,
  getThreeDsProviderEndpoint,
  getThreeDsSettingsEndpoint,
  createThreeDsSettingsEndpoint,
  replaceThreeDsSettingsEndpoint,
  checkThreeDsEndpoint,
  listThreeDsSessionsEndpoint,
];
