import type { Station } from '../line/network-messages.js';
import type { Profile } from '../profile/profile.js';

/** Identity of the gateway at the acquirer. */
export interface IsoIdentity extends Station {
  /** Field 42 for a merchant without a number of its own. */
  readonly merchantId?: string;
  /** Field 18. */
  readonly merchantCategory?: string;
}

export interface IsoDialect {
  readonly profile: Profile;
  readonly identity: IsoIdentity;
}
