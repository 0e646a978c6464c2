import type { Station } from '../line/network-messages.js';
import type { Profile } from '../profile/profile.js';

/** Who the gateway is at the acquirer. */
export interface IsoIdentity extends Station {
  /** Field 42 where a merchant has no number of its own. */
  readonly merchantId?: string;
  /** Field 18. */
  readonly merchantCategory?: string;
}

export interface IsoDialect {
  readonly profile: Profile;
  readonly identity: IsoIdentity;
}
