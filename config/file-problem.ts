const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'the user of this process may not read it',
  EISDIR: 'it is a folder',
};

/** Returns why a file could not be read, in words that go behind a colon. */
export function fileProblem(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return reasons[code] ?? (code || message);
}
