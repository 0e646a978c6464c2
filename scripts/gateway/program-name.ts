/**
 * How the command is called: by its place in the checkout. The registry of npm has an unrelated package `gateway`, which
 * `npx` would fetch and run wherever ours is not installed.
 */
export const PROGRAM = './gateway';
