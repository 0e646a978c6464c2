/** A profile cannot be used; the message says why. */
export class ProfileError extends Error {
  override readonly name = 'ProfileError';
}
