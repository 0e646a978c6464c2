/**
 * Settings of the processors' adapters: an address and credentials each, read by the pools that call processors. A processor whose settings
 * are not set is left out of the installation.
 */
import { adyenSettings } from './adyen-settings.js';
import { iso8583Settings } from './iso8583-settings.js';
import type { Setting } from './setting.js';
import { stripeSettings } from './stripe-settings.js';

export const processorSettings = {
  ...iso8583Settings,
  ...stripeSettings,
  ...adyenSettings,
} as const satisfies Record<string, Setting>;

export type ProcessorSettingName = keyof typeof processorSettings;
