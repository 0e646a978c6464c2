/** Keys of members that may be absent. */
type MaybeAbsent<T> = { [K in keyof T]: undefined extends T[K] ? K : never }[keyof T];
type Defined<T> = Omit<T, MaybeAbsent<T>> & { [K in MaybeAbsent<T>]?: Exclude<T[K], undefined> };

/** Returns the members that are not `undefined`. Nothing that is stored, sent or answered has a member that is `undefined`. */
export function defined<T extends object>(members: T): Defined<T> {
  const present: Partial<T> = {};
  for (const key in members) if (members[key] !== undefined) present[key] = members[key];
  return present as Defined<T>;
}
