/** Chooses the version of EMV 3DS for a card, and says whether its issuer wants to inspect the browser first. */
import { type CardRange, type MessageVersion, messageVersions } from './messages.js';

/** A version is three single digits, so versions can be compared as text. */
const within = (version: string, start: string, end: string) => start <= version && version <= end;

function takes(range: CardRange, version: MessageVersion): boolean {
  const { dsProtocolVersions: ofDirectory, acsProtocolVersions: ofIssuer } = range;
  return (
    within(version, range.dsStartProtocolVersion, range.dsEndProtocolVersion) &&
    within(version, range.acsStartProtocolVersion, range.acsEndProtocolVersion) &&
    (!ofDirectory || ofDirectory.includes(version)) &&
    (!ofIssuer || ofIssuer.some((listed) => listed.version === version))
  );
}

/** Returns the newest version that directory, issuer and this adapter have in common; `undefined` when there is none. */
export const chooseVersion = (range: CardRange): MessageVersion | undefined =>
  messageVersions.find((version) => takes(range, version));

/** Returns the address of the issuer's 3DS method for a version. */
export const methodUrlOf = (range: CardRange, version: MessageVersion): string | undefined =>
  range.acsProtocolVersions?.find((listed) => listed.version === version)?.threeDSMethodURL ?? range.threeDSMethodURL;
