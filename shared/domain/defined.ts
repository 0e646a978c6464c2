/** Members that are there; requests of the port have no empty ones. */
type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

export const defined = <T extends object>(members: T): Defined<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
