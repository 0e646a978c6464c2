/** Bounds of what a process looks at before it starts. */
export const startLimits = {
  /** A secret in a file of its own: keys, passwords and addresses are short. */
  secretFileBytesMax: 64 * 1024,
  /** Oldest major release of MongoDB that production runs on. */
  mongodbMajorMin: 7,
} as const;
