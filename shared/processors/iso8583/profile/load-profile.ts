import { readFileSync, statSync } from 'node:fs';
import { iso8583Limits } from '../../../../config/iso8583-limits.js';
import type { Profile } from './profile.js';
import { ProfileError } from './profile-error.js';
import { builtInProfile, readProfile } from './read-profile.js';

/** Loads the built-in profile of this name, or the file if the name ends in `.json`. @throws {ProfileError} */
export function loadProfile(nameOrFile: string): Profile {
  if (!nameOrFile.endsWith('.json')) return builtInProfile(nameOrFile);
  let file: unknown;
  try {
    const { size } = statSync(nameOrFile);
    if (size > iso8583Limits.profileBytesMax)
      throw new ProfileError(`larger than ${iso8583Limits.profileBytesMax} bytes`);
    file = JSON.parse(readFileSync(nameOrFile, 'utf8'));
  } catch (error) {
    throw new ProfileError(`${nameOrFile} cannot be read: ${(error as Error).message}`);
  }
  try {
    return readProfile(file);
  } catch (error) {
    throw error instanceof ProfileError ? new ProfileError(`${nameOrFile}: ${error.message}`) : error;
  }
}
