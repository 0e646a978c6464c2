/** Settings of the 3DS provider `emv3ds`, a 3D Secure server on the EMV 3DS JSON wire (docs/threeds-server.md). */
import type { Setting } from './setting.js';

export const threeDsServerSettings = {
  emv3dsUrl: {
    env: 'EMV3DS_URL',
    kind: 'url',
    about:
      'Address of the 3D Secure server (preauth, auth, postauth), https in production. Not set: the provider `emv3ds` is left out of the installation.',
  },
  emv3dsApiKey: {
    env: 'EMV3DS_API_KEY',
    kind: 'string',
    secret: true,
    about: 'API key at that server. Goes with EMV3DS_URL.',
  },
  emv3dsApiKeyHeader: {
    env: 'EMV3DS_API_KEY_HEADER',
    kind: 'string',
    default: 'APIKey',
    about: 'Name of the HTTP header that carries the key.',
  },
  emv3dsRequestorUrl: {
    env: 'EMV3DS_REQUESTOR_URL',
    kind: 'https',
    about: 'Web site of the 3DS requestor, of merchants without one of their own. Goes with EMV3DS_URL.',
  },
  emv3dsRequestorId: {
    env: 'EMV3DS_REQUESTOR_ID',
    kind: 'string',
    about: 'Id of the 3DS requestor at the directories, at most 35 characters. Not set: the server fills it in.',
  },
  emv3dsRequestorName: {
    env: 'EMV3DS_REQUESTOR_NAME',
    kind: 'string',
    about: 'Name of the 3DS requestor at the directories, at most 40 characters. Not set: the server fills it in.',
  },
  emv3dsTlsCaFile: {
    env: 'EMV3DS_TLS_CA_FILE',
    kind: 'string',
    about: "PEM file with the server's own certificate authority. Not set: those of Node.",
  },
} as const satisfies Record<string, Setting>;

export type ThreeDsServerSettingName = keyof typeof threeDsServerSettings;
