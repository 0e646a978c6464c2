/** THE LIST of commands. Parsing, help and docs/command-line.md are derived from it. */
import type { CommandGroup } from '../command.js';
import { audit } from './audit.js';
import { bins } from './bins.js';
import { callbacks } from './callbacks.js';
import { clients } from './clients.js';
import { completion } from './completion.js';
import { credentials } from './credentials.js';
import { doctor } from './doctor.js';
import { embedOrigins } from './embed-origins.js';
import { findings } from './findings.js';
import { grants } from './grants.js';
import { iso8583 } from './iso8583.js';
import { keys } from './keys.js';
import { merchants } from './merchants.js';
import { methods } from './methods.js';
import { pageColor } from './page-color.js';
import { pageContact } from './page-contact.js';
import { payments } from './payments.js';
import { reconciliation } from './reconcile.js';
import { safeMode } from './safe-mode.js';
import { testing } from './testing.js';
import { updates } from './updates.js';
import { vault } from './vault.js';

export const commandGroups: readonly CommandGroup[] = [
  doctor,
  clients,
  keys,
  grants,
  merchants,
  methods,
  credentials,
  embedOrigins,
  pageColor,
  pageContact,
  callbacks,
  updates,
  payments,
  reconciliation,
  findings,
  safeMode,
  vault,
  audit,
  bins,
  iso8583,
  testing,
  completion,
];
